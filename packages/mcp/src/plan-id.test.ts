import { expect, test } from 'bun:test';
import { createPlanIds } from './plan-id.ts';

const call = {
  operation: 'restoreBackup',
  params: { id: 'a', backupId: 'b' },
  body: { mode: 'REPAIR' },
};
const said = { create: ['general'], delete: [] };
const minutes = 60_000;

test('an id serves the call and the key it was issued for, in any process, for 15 minutes', async () => {
  let now = Date.UTC(2026, 0, 1);
  const { planId, expiresAt } = await createPlanIds('key', () => now).issue(call, said);
  const check = (key: string, ofCall: typeof call) =>
    createPlanIds(key, () => now).check(planId, ofCall);
  expect(expiresAt).toBe('2026-01-01T00:15:00.000Z');
  expect(await check('key', call)).toBeObject();
  expect(await check('other', call)).toBe('invalid');
  expect(await check('key', { ...call, body: { mode: 'REPLACE' } })).toBe('invalid');
  expect(await check('key', { ...call, operation: 'deleteBackup' })).toBe('invalid');
  now += 15 * minutes - 1;
  expect(await check('key', call)).toBeObject();
  now += 1;
  expect(await check('key', call)).toBe('expired');
});

test('an id knows what the plan said, whatever the order of its fields', async () => {
  const planIds = createPlanIds('key');
  const checked = await planIds.check((await planIds.issue(call, said)).planId, call);
  if (typeof checked === 'string') throw new Error(checked);
  expect(await checked.isAbout({ delete: [], create: ['general'], calls: undefined })).toBe(true);
  expect(await checked.isAbout({ ...said, delete: ['general'] })).toBe(false);
});

test('no part of an id can be changed, and nothing else is one', async () => {
  const planIds = createPlanIds('key');
  const { planId } = await planIds.issue(call, said);
  const bytes = Buffer.from(planId.slice('plan_'.length), 'base64url');
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[index] = (bytes[index] ?? 0) ^ 1;
    expect(await planIds.check(`plan_${changed.toString('base64url')}`, call)).toBe('invalid');
  }
  for (const text of [
    '',
    'plan_',
    planId.slice(5),
    `${planId}AAAA`,
    ...['=', '==', '!', ' ', '\n', '.x', '\u0000'].map((end) => `${planId}${end}`),
    `plan_${bytes.toString('base64')}`,
    planId.replace('plan_', 'plan_ '),
    lastCharacterChanged(planId),
    `plan_${'A'.repeat(200)}`,
    '☃',
  ]) {
    expect(await planIds.check(text, call)).toBe('invalid');
  }
});

/** Another text of the same bytes: the last character has bits that decode to nothing. */
const lastCharacterChanged = (planId: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const index = alphabet.indexOf(planId.at(-1) ?? '');
  return `${planId.slice(0, -1)}${alphabet[index ^ 1]}`;
};
