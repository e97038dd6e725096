import { expect, test } from 'bun:test';
import { checksOf } from './protection-checks.ts';

const states = (...limits: Parameters<typeof checksOf>[0]) =>
  checksOf(limits).map(({ state }) => state);

test('without limits every check is passed, and the owner is none', () => {
  expect(new Set(states())).toEqual(new Set(['passed']));
  expect(new Set(states({ code: 'OWNER', detail: 'Nobody stops them.' }))).toEqual(
    new Set(['passed']),
  );
});

test('a missing permission fails the check that needs it, by its code or its name', () => {
  const limit = { code: 'MISSING_PERMISSION', detail: 'It lacks VIEW_AUDIT_LOG.' } as const;
  expect(checksOf([limit])[1]).toMatchObject({ state: 'failed', problems: [limit.detail] });
  const named = { code: 'MISSING_PERMISSION', detail: 'Give it Manage server.' } as const;
  expect(checksOf([named])[4]).toMatchObject({ state: 'failed' });
  const other = { code: 'MISSING_PERMISSION', detail: 'It lacks BAN_MEMBERS.' } as const;
  expect(checksOf([other]).at(-1)).toMatchObject({ state: 'failed', problems: [other.detail] });
});

test('what the platform was not asked is not known', () => {
  const unasked = ['passed', 'unknown', 'unknown', 'unknown', 'unknown', 'passed'] as const;
  expect(states({ code: 'NOT_ASKED', detail: 'No answer.' })).toEqual([...unasked]);
});
