import { describe, expect, test } from 'bun:test';
import { checkPullable, etaSecondsOf, progressOf, wasMemberBefore } from './rules.ts';

const running = {
  ...{ status: 'running' as const, total: 200, processed: 0, areMembersSelected: true },
  ...{ firstBurst: 0, measuredSeconds: null },
  ...{ expectedTotal: 190, expectedSecondsPerMember: 0.5 },
};

describe('progress', () => {
  test('is the share of members with a result, and 100 only at the end', () => {
    const progress = (processed: number, total: number) =>
      progressOf({ status: 'running', processed, total });
    expect([progress(0, 0), progress(0, 3), progress(1, 3), progress(3, 3)]).toEqual([
      0, 0, 33, 99,
    ]);
    expect(progressOf({ status: 'completed', processed: 0, total: 0 })).toBe(100);
    expect(progressOf({ status: 'cancelled', processed: 1, total: 2 })).toBe(50);
  });
});

describe('the time that is left', () => {
  test('is told from the start on, by what was expected, and no more where the pull has stopped', () => {
    const created = { ...running, status: 'queued' as const, total: 0, areMembersSelected: false };
    expect(etaSecondsOf(created)).toBe(95);
    expect(etaSecondsOf({ ...created, expectedSecondsPerMember: null })).toBe(190);
    // Once the members are selected, their number is known.
    expect(etaSecondsOf(running)).toBe(100);
    const burst = { ...running, processed: 10, firstBurst: 10, measuredSeconds: 5 };
    expect(etaSecondsOf(burst)).toBe(95);
    const measured = { ...running, processed: 20, firstBurst: 10, measuredSeconds: 10 };
    for (const status of ['failed', 'cancelled'] as const) {
      expect(etaSecondsOf({ ...measured, status })).toBeNull();
    }
    expect(etaSecondsOf({ ...measured, status: 'completed' })).toBe(0);
  });

  test('does not count the results that a full bucket allowed at once', () => {
    // Ten at once, then ten every ten seconds: after the second ten, a hundred and eighty are left.
    const pull = { ...running, processed: 20, firstBurst: 10, measuredSeconds: 10.2 };
    expect(etaSecondsOf(pull)).toBe(184);
    expect(etaSecondsOf({ ...pull, processed: 200, measuredSeconds: 190 })).toBe(0);
  });
});

describe('a person', () => {
  const person = {
    ...{ platformId: '1', botId: 'bot', consentedAt: new Date() as Date | null },
    ...{ blacklisted: false as boolean | null, tokenStatus: 'VALID' as string | null },
  };

  test('who consented is added through the bot that their token belongs to', () => {
    expect(checkPullable(person)).toEqual({ result: undefined, platformId: '1', botId: 'bot' });
    expect(checkPullable({ ...person, tokenStatus: 'EXPIRED' }).result).toBeUndefined();
  });

  test('who withdrew, is blacklisted or has no token is not added', () => {
    expect(checkPullable({ ...person, consentedAt: null }).result).toBe('withdrawn');
    expect(checkPullable({ ...person, consentedAt: null, blacklisted: true }).result).toBe(
      'withdrawn',
    );
    expect(checkPullable({ ...person, blacklisted: true }).result).toBe('blacklisted');
    expect(checkPullable({ ...person, tokenStatus: 'REVOKED' }).result).toBe('tokenInvalid');
    expect(checkPullable({ ...person, botId: null }).result).toBe('tokenInvalid');
    const erased = { platformId: null, botId: null, consentedAt: null };
    expect(checkPullable({ ...erased, blacklisted: null, tokenStatus: null }).result).toBe(
      'withdrawn',
    );
  });
});

test('a person who joined well before the pull was a member before; an unknown date does not count', () => {
  const createdAt = new Date('2026-01-31T12:00:00.000Z');
  expect(wasMemberBefore('2026-01-31T11:58:00.000000+00:00', createdAt)).toBe(true);
  expect(wasMemberBefore('2026-01-31T11:59:30.000000+00:00', createdAt)).toBe(false);
  expect(wasMemberBefore('2026-01-31T12:00:05.000000+00:00', createdAt)).toBe(false);
  expect(wasMemberBefore(null, createdAt)).toBe(false);
  expect(wasMemberBefore('some day', createdAt)).toBe(false);
});
