import { expect, test } from 'bun:test';
import { momentWords } from '../../parts/words.ts';
import { isGood, titleOf } from './backup-words.ts';

const createdAt = '2026-03-01T12:00:00.000Z';

test.each([
  ['MANUAL', 'Before the summer event', 'Before the summer event'],
  ['MANUAL', `Backup ${createdAt}`, `Backup of ${momentWords(createdAt)}`],
  ['SCHEDULED', `Scheduled ${createdAt}`, `Scheduled backup of ${momentWords(createdAt)}`],
  ['MANUAL', `Backup ${createdAt} again`, `Backup ${createdAt} again`],
  ['PRE_RESTORE', 'Before restore 01', `Before the restore of ${momentWords(createdAt)}`],
] as const)('one that is %s and called %p is shown as %p', (kind, name, title) => {
  expect(titleOf({ kind, name, createdAt })).toBe(title);
});

test('a good backup is whole, of a server that was well, and not known to fail', () => {
  const whole = { status: 'completed', restorable: null } as const;
  const good = { ...whole, suspicious: false, kind: 'MANUAL' } as const;
  expect(isGood(good)).toBe(true);
  expect(isGood({ ...good, status: 'running' })).toBe(false);
  expect(isGood({ ...good, restorable: false })).toBe(false);
  expect(isGood({ ...good, suspicious: true })).toBe(false);
  expect(isGood({ ...good, kind: 'PRE_RESTORE' })).toBe(false);
});
