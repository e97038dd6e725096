import { expect, test } from 'bun:test';
import { createBackupFile } from './backup-file.ts';

const head = { id: 'x', name: 'Before "the" storm' };
const fileOf = (...parts: [section: string | null, ...entries: unknown[]][]) => {
  const file = createBackupFile(head);
  for (const [section, ...entries] of parts) file.add({ section, entries });
  return JSON.parse(file.end().join(''));
};
const envelope = { format: 'holdfast-backup', version: 1, backup: head };

test.each<[string, Parameters<typeof fileOf>, object]>([
  ['no part has anything', [[null]], {}],
  ['a section is empty', [['roles']], { roles: [] }],
  [
    'a section has several parts',
    [
      ['bans', 1, 2],
      ['bans', 3],
    ],
    { bans: [1, 2, 3] },
  ],
  ['its first part is empty', [['bans'], ['bans', { a: 'b' }]], { bans: [{ a: 'b' }] }],
  ['one in between is empty', [['bans', 1], ['bans'], ['bans', 2]], { bans: [1, 2] }],
  [
    'sections follow each other',
    [['roles', 1], ['bans'], ['members', 2, 3]],
    { roles: [1], bans: [], members: [2, 3] },
  ],
])(
  'a downloaded backup is one JSON with all entries in their order where %s',
  (_, parts, sections) => {
    expect(fileOf(...parts)).toEqual({ ...envelope, ...sections });
  },
);
