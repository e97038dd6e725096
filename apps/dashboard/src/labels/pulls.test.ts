import { expect, test } from 'bun:test';
import type { Member } from '../queries/records.ts';
import { cooldownEnd, pullableLabel, pullSummary, pullVerdict } from './pulls.ts';

const minutes = 60_000;
const now = Date.parse('2026-03-01T12:00:00.000Z');
const pull = (minutesAgo: number, changes: object = {}) => ({
  status: 'completed' as const,
  processed: 10,
  createdAt: new Date(now - minutesAgo * minutes).toISOString(),
  ...changes,
});

test('the cooldown runs from the newest pull', () => {
  expect(cooldownEnd([pull(20), pull(50)], 30 * minutes, now)).toBe(now + 10 * minutes);
});

test('a pull that tried nobody does not start a cooldown', () => {
  const untried = pull(1, { status: 'failed', processed: 0 });
  expect(cooldownEnd([untried, pull(50)], 30 * minutes, now)).toBeUndefined();
  expect(cooldownEnd([{ ...untried, status: 'running' }], 30 * minutes, now)).toBe(
    now + 29 * minutes,
  );
});

test('there is none without a pull, without a cooldown, or when it is over', () => {
  expect(cooldownEnd([], 30 * minutes, now)).toBeUndefined();
  expect(cooldownEnd([pull(0)], 0, now)).toBeUndefined();
  expect(cooldownEnd([pull(30)], 30 * minutes, now)).toBeUndefined();
});

test('who joined is told of those who were tried, not of all who will be', () => {
  const counted = { processed: 120, total: 15_032, results: { joined: 85, alreadyMember: 20 } };
  expect(pullSummary({ ...counted, status: 'running' })).toBe(
    `85 members joined so far, 120 of ${(15_032).toLocaleString()} tried`,
  );
  expect(pullSummary({ ...counted, status: 'cancelled' })).toBe(
    '85 members joined of 120 members tried',
  );
  expect(pullSummary({ ...counted, status: 'completed', total: 120 })).toBe(
    '85 members came back, 20 were there already, 15 could not be brought back',
  );
});

test.each([
  [30, 1, 29, '1 member came back, 29 were there already'],
  [30, 30, 0, '30 members came back'],
  [30, 0, 30, 'All 30 were there already'],
  [30, 20, 1, '20 members came back, 1 was there already, 9 could not be brought back'],
  [0, 0, 0, 'There was nobody to bring back'],
])('of %p, %p joined and %p were there: %s', (total, joined, alreadyMember, verdict) => {
  expect(pullVerdict({ total, results: { joined, alreadyMember } })).toBe(verdict);
});

const consented = '2026-01-01T00:00:00.000Z';

test.each([
  [true, consented, 'VALID', 'Yes'],
  [true, consented, 'EXPIRED', 'Yes'],
  [false, null, 'VALID', 'No: has not agreed'],
  [false, null, 'NONE', 'No: has not agreed'],
  [false, consented, 'REVOKED', 'No: withdrew the permission'],
  [false, consented, 'NONE', 'No: gave no token'],
  [false, consented, 'VALID', 'No: on your blacklist'],
] satisfies [boolean, string | null, Member['tokenStatus'], string][])(
  'pullable %p, agreed %p and a token that is %s: %s',
  (pullable, consentedAt, tokenStatus, label) => {
    expect(pullableLabel({ pullable, consentedAt, tokenStatus })).toBe(label);
  },
);
