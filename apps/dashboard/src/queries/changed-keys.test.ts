import { expect, test } from 'bun:test';
import { keysChangedBy } from './changed-keys.ts';
import { queryKeys } from './query-keys.ts';

/** Polled, never changing, or read from the platform when somebody asks for it. */
const untold = [
  'analytics',
  'backup-contents',
  'bot-guild',
  'bot-guilds',
  'comparison',
  'device-authorization',
  'guild',
  'mass-verification-preview',
  'new-guilds',
  'older-audit',
  'plans',
  'pull-preview',
  'recovery-plan',
  'sessions',
  'setup',
  'template-contents',
];

const rootOf = (key: readonly unknown[]): string => String(key[0]);

const allRoots = Object.values(queryKeys).flatMap((key) =>
  typeof key === 'function'
    ? [rootOf(key('id', 'firewall')), rootOf(key('id', 'whitelist'))]
    : [rootOf(key)],
);

test('whatever pages show is told of by a topic, or listed as what is not', () => {
  const told = keysChangedBy(['all']).map(rootOf);
  expect([...new Set([...told, ...untold])].sort()).toEqual([...new Set(allRoots)].sort());
  expect(told.filter((root) => untold.includes(root))).toEqual([]);
});

test('a topic of one server leaves the lists of other servers alone', () => {
  const keys = keysChangedBy(['backups:s1', 'backups:s1']);
  expect(keys).toContainEqual(['backups', 's1']);
  expect(keys).toContainEqual(['backup', 's1']);
  expect(keys).toContainEqual(['overview']);
  expect(keys.filter((key) => rootOf(key) === 'backups')).toHaveLength(1);
});

test('a topic without a server is about all of them', () => {
  expect(keysChangedBy(['pulls'])).toContainEqual(['pulls']);
  expect(keysChangedBy(['restores:s1'])).toContainEqual(['restore']);
});
