import { describe, expect, test } from 'bun:test';
import { etaSecondsOf, progressOf, verdictOn, wasThereBefore } from './rules.ts';

const running = {
  ...{ status: 'running' as const, total: 200, processed: 0, isFrozen: true },
  ...{ firstBurst: 0, measuredSeconds: null },
};

describe('progress', () => {
  test('is the share of those who have a result, and 100 only at the end', () => {
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
  test('is unknown until there is a rate, and where there is nothing to wait for', () => {
    expect(etaSecondsOf(running)).toBeNull();
    const burst = { ...running, processed: 10, firstBurst: 10, measuredSeconds: 5 };
    expect(etaSecondsOf(burst)).toBeNull();
    const measured = { ...running, processed: 20, firstBurst: 10, measuredSeconds: 10 };
    for (const status of ['queued', 'failed', 'cancelled'] as const) {
      expect(etaSecondsOf({ ...measured, status })).toBeNull();
    }
    expect(etaSecondsOf({ ...measured, isFrozen: false })).toBeNull();
    expect(etaSecondsOf({ ...measured, status: 'completed' })).toBe(0);
  });

  test('leaves out what a full bucket gave at once', () => {
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

  test('who agreed is called through the bot that holds their token', () => {
    expect(verdictOn(person)).toEqual({ result: undefined, platformId: '1', botId: 'bot' });
    expect(verdictOn({ ...person, tokenStatus: 'EXPIRED' }).result).toBeUndefined();
  });

  test('who took it back, is blacklisted or has no token is not', () => {
    expect(verdictOn({ ...person, consentedAt: null }).result).toBe('withdrawn');
    expect(verdictOn({ ...person, consentedAt: null, blacklisted: true }).result).toBe('withdrawn');
    expect(verdictOn({ ...person, blacklisted: true }).result).toBe('blacklisted');
    expect(verdictOn({ ...person, tokenStatus: 'REVOKED' }).result).toBe('tokenInvalid');
    expect(verdictOn({ ...person, botId: null }).result).toBe('tokenInvalid');
    const erased = { platformId: null, botId: null, consentedAt: null };
    expect(verdictOn({ ...erased, blacklisted: null, tokenStatus: null }).result).toBe('withdrawn');
  });
});

test('who was there well before the pull did not come by it; where nobody can tell, they did', () => {
  const createdAt = new Date('2026-01-31T12:00:00.000Z');
  expect(wasThereBefore('2026-01-31T11:58:00.000000+00:00', createdAt)).toBe(true);
  expect(wasThereBefore('2026-01-31T11:59:30.000000+00:00', createdAt)).toBe(false);
  expect(wasThereBefore('2026-01-31T12:00:05.000000+00:00', createdAt)).toBe(false);
  expect(wasThereBefore(null, createdAt)).toBe(false);
  expect(wasThereBefore('some day', createdAt)).toBe(false);
});
