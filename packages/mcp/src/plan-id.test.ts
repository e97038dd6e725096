import { expect, test } from 'bun:test';
import { createPlanIds } from './plan-id.ts';

const call = {
  operation: 'restoreBackup',
  params: { id: 'a', backupId: 'b' },
  body: { mode: 'REPAIR' },
};
const said = { create: ['general'], delete: [] };
const minutes = 60_000;

test('an id serves the call and the key it was issued for, in any process, for 15 minutes', () => {
  let now = Date.UTC(2026, 0, 1);
  const { planId, expiresAt } = createPlanIds('key', () => now).issue(call, said);
  const check = (key: string, ofCall: typeof call) =>
    createPlanIds(key, () => now).check(planId, ofCall);
  expect(expiresAt).toBe('2026-01-01T00:15:00.000Z');
  expect(check('key', call)).toBeObject();
  expect(check('other', call)).toBe('invalid');
  expect(check('key', { ...call, body: { mode: 'REPLACE' } })).toBe('invalid');
  expect(check('key', { ...call, operation: 'deleteBackup' })).toBe('invalid');
  now += 15 * minutes - 1;
  expect(check('key', call)).toBeObject();
  now += 1;
  expect(check('key', call)).toBe('expired');
});

test('an id knows what the plan said, whatever the order of its fields', () => {
  const planIds = createPlanIds('key');
  const checked = planIds.check(planIds.issue(call, said).planId, call);
  if (typeof checked === 'string') throw new Error(checked);
  expect(checked.isAbout({ delete: [], create: ['general'], calls: undefined })).toBe(true);
  expect(checked.isAbout({ ...said, delete: ['general'] })).toBe(false);
});

test('no part of an id can be changed, and nothing else is one', () => {
  const planIds = createPlanIds('key');
  const { planId } = planIds.issue(call, said);
  const bytes = Buffer.from(planId.slice('plan_'.length), 'base64url');
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[index] = (bytes[index] ?? 0) ^ 1;
    expect(planIds.check(`plan_${changed.toString('base64url')}`, call)).toBe('invalid');
  }
  for (const text of [
    '',
    'plan_',
    planId.slice(5),
    `${planId}AAAA`,
    `plan_${'A'.repeat(200)}`,
    '☃',
  ]) {
    expect(planIds.check(text, call)).toBe('invalid');
  }
});
