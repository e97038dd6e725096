import { expect, test } from 'bun:test';
import { healthOf, settleHealth } from './rules.ts';

const ids = (sort: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${sort}${at}`);
const standing = (list: string[]) => Object.fromEntries(list.map((id) => [id, id]));
const noPointers = {
  ...{ verifiedRoleId: null, logChannelId: null },
  ...{ missingRoleId: null, missingChannelId: null, panelChannelsGone: 0 },
};

/** A guild of which so many channels and roles are missing against its last good backup. */
const damaged = ([channels, ofChannels]: [number, number], [roles, ofRoles]: [number, number]) => {
  const structure = { channelIds: ids('c', ofChannels), roleIds: ids('r', ofRoles) };
  const left = {
    channels: structure.channelIds.slice(channels),
    roles: structure.roleIds.slice(roles),
  };
  const live = {
    isInGuild: true,
    channelIds: new Set(left.channels),
    roleIds: new Set(left.roles),
  };
  const liveIds = { channels: standing(left.channels), roles: standing(left.roles) };
  return healthOf(live, { structure, liveIds }, noPointers);
};

const none: [number, number] = [0, 100];

test.each<[string, [number, number], [number, number], string]>([
  ['nothing is missing', none, none, 'GOOD'],
  ['2 of 100 channels', [2, 100], none, 'GOOD'],
  ['3 of 100 channels', [3, 100], none, 'DAMAGED'],
  ['2 of 100 roles', none, [2, 100], 'GOOD'],
  ['3 of 100 roles', none, [3, 100], 'DAMAGED'],
  ['2 channels and a role', [2, 100], [1, 100], 'DAMAGED'],
  ['a channel and a role', [1, 100], [1, 100], 'GOOD'],
  ['2 of 10 channels', [2, 10], none, 'DAMAGED'],
  ['2 of 11 channels', [2, 11], none, 'GOOD'],
  ['2 of 10 roles', none, [2, 10], 'DAMAGED'],
  ['2 of 11 roles', none, [2, 11], 'GOOD'],
  ['the only channel', [1, 1], none, 'GOOD'],
  ['1 of 2 roles', none, [1, 2], 'GOOD'],
  ['both channels', [2, 2], none, 'DAMAGED'],
  ['a backup without channels and roles', [0, 0], [0, 0], 'GOOD'],
])('with %s missing the health follows the thresholds', (_, channels, roles, health) => {
  expect(damaged(channels, roles).health).toBe(health as 'GOOD');
});

test('the reasons say how many channels and roles of how many are missing', () => {
  expect(damaged([4, 20], [0, 5]).healthReasons).toEqual([
    { code: 'CHANNELS_MISSING', missing: 4, total: 20 },
  ]);
  expect(damaged([1, 20], [2, 5]).healthReasons).toEqual([
    { code: 'CHANNELS_MISSING', missing: 1, total: 20 },
    { code: 'ROLES_MISSING', missing: 2, total: 5 },
  ]);
});

test('what a restore gave another id is not missing', () => {
  const structure = { channelIds: ids('c', 3), roleIds: [] };
  const live = { isInGuild: true, channelIds: new Set(ids('new', 3)), roleIds: new Set<string>() };
  const channels = { c0: 'new0', c1: 'new1', c2: 'new2' };
  const reference = { structure, liveIds: { channels, roles: {} } };
  expect(healthOf(live, reference, noPointers).health).toBe('GOOD');
});

const whole = { isInGuild: true, channelIds: new Set(['c0']), roleIds: new Set(['r0']) };
const backup = {
  structure: { channelIds: ['c0'], roleIds: ['r0'] },
  liveIds: { channels: { c0: 'c0' }, roles: { r0: 'r0' } },
};

test('a verified role or log channel that is gone makes it CHANGED', () => {
  const there = { ...noPointers, verifiedRoleId: 'r0', logChannelId: 'c0' };
  expect(healthOf(whole, backup, there)).toEqual({ health: 'GOOD', healthReasons: [] });
  expect(healthOf(whole, backup, { ...there, verifiedRoleId: 'r9', logChannelId: 'c9' })).toEqual({
    health: 'CHANGED',
    healthReasons: [{ code: 'VERIFIED_ROLE_MISSING' }, { code: 'LOG_CHANNEL_MISSING' }],
  });
  // What is seen counts more than what was missed before.
  expect(healthOf(whole, backup, { ...there, missingRoleId: 'r0' }).health).toBe('GOOD');
});

test('a guild that the bot left is LOST, whatever else holds', () => {
  const left = { isInGuild: false, channelIds: new Set<string>(), roleIds: new Set<string>() };
  const lost = { health: 'LOST' as const, healthReasons: [{ code: 'BOT_NOT_IN_GUILD' as const }] };
  expect(healthOf(left, backup, { ...noPointers, verifiedRoleId: 'r9' })).toEqual(lost);
  expect(healthOf(left, undefined, noPointers)).toEqual(lost);
});

test('without a view of the guild or a good backup it is UNKNOWN', () => {
  expect(healthOf(whole, undefined, noPointers)).toEqual({
    health: 'UNKNOWN',
    healthReasons: [{ code: 'NO_GOOD_BACKUP' }],
  });
  expect(healthOf(undefined, backup, noPointers)).toEqual({
    health: 'UNKNOWN',
    healthReasons: [{ code: 'NOT_SEEN' }],
  });
});

test.each([
  ['GOOD', 'DAMAGED', 'GOOD'],
  ['CHANGED', 'DAMAGED', 'CHANGED'],
  ['GOOD', 'CHANGED', 'GOOD'],
  ['DAMAGED', 'DAMAGED', 'DAMAGED'],
  ['DAMAGED', 'CHANGED', 'CHANGED'],
  ['DAMAGED', 'GOOD', 'GOOD'],
  ['GOOD', 'LOST', 'LOST'],
  ['LOST', 'DAMAGED', 'DAMAGED'],
] as const)('while a restore runs, %s that would become %s is %s', (before, now, settled) => {
  const [one, other] = [before, now].map((health) => ({ health, healthReasons: [] }));
  if (!one || !other) throw new Error('Two are compared');
  expect(settleHealth(one, other, true).health).toBe(settled);
  expect(settleHealth(one, other, false).health).toBe(now);
});
