import { expect, test } from 'bun:test';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { permission } from '../../../platform/permissions.ts';
import { createPowerRoster } from './power-roster.ts';

const [guildId, botId, ownerId, mallory] = ['1', '100', '101', '102'];
const role = (id: string, position: number, bits: bigint) => ({
  ...{ id, position, permissions: `${bits}`, isManaged: false },
});
const roles = [
  ...[role(guildId, 0, 0n), role('10', 1, 0n), role('11', 2, permission.manageChannels)],
  role('12', 9, permission.administrator),
];
const member = (userId: string, ...roleIds: string[]) => ({
  ...{ userId, roleIds, isBot: false, username: `user-${userId}` },
});
const changed = (userId: string, ...roleIds: string[]): GuildEvent => ({
  ...{ kind: 'memberChanged', guildId, userId, roleIds, isBot: false, username: null },
  ...{ hasPicture: true, nick: null, joinedAt: null },
});
const read = (members = [member(mallory, '10', '11')]) => ({
  // Of a guild only this much is looked at.
  seen: { guild: { ownerId, roles } as never, bot: { userId: botId, roleIds: ['12'] } },
  members,
});
const newRoster = async () => {
  const roster = createPowerRoster(guildId);
  await roster.fill(async () => read());
  return roster;
};

test('who has power is known with what would be taken, and events keep that true', async () => {
  const roster = await newRoster();
  const planOf = (id = mallory) => roster.find(id)?.plan;
  expect(roster.find(mallory)).toMatchObject({ username: 'user-102', plan: { take: ['11'] } });
  roster.learn(changed(mallory, '11'));
  expect(planOf()).toMatchObject({ held: ['11'], take: ['11'], code: null });
  roster.learn(changed('103', '10'));
  expect(planOf('103')).toBeUndefined();
  roster.learn(changed('103', '11'));
  expect(planOf('103')).toMatchObject({ take: ['11'] });
  roster.learn({ kind: 'roleChanged', guildId, role: role('11', 10, permission.manageChannels) });
  expect(planOf()).toMatchObject({ take: [], code: 'ROLE_TOO_HIGH' });
  roster.learn({ kind: 'roleDeleted', guildId, roleId: '11' });
  expect(planOf()).toMatchObject({ held: [], take: [], code: null });
  const face = { guildId, name: 'Harbour', iconHash: null };
  roster.learn({ kind: 'guildChanged', ...face, ownerId: mallory });
  expect(planOf()).toMatchObject({ code: 'OWNER' });
  roster.learn({ kind: 'memberLeft', guildId, userId: mallory });
  expect(planOf()).toBeUndefined();
});

test('the own rank counts as it is now', async () => {
  const roster = await newRoster();
  roster.learn(changed(botId, '10'));
  expect(roster.find(mallory)?.plan).toMatchObject({ take: [], code: 'MISSING_PERMISSION' });
});

test('what happens while a guild is read counts, and what was known before does not', async () => {
  const roster = await newRoster();
  const reading = Promise.withResolvers<ReturnType<typeof read>>();
  const filling = roster.fill(() => reading.promise);
  expect(roster.find(mallory)).toBeUndefined();
  roster.learn(changed(mallory, '11'));
  reading.resolve(read());
  await filling;
  expect(roster.find(mallory)?.plan.held).toEqual(['11']);
  await roster.fill(() => Promise.reject(new Error('refused'))).catch(() => undefined);
  roster.learn(changed(mallory, '11'));
  expect(roster.find(mallory)).toBeUndefined();
  const slow = Promise.withResolvers<ReturnType<typeof read>>();
  const first = roster.fill(() => slow.promise);
  await roster.fill(async () => read([]));
  slow.resolve(read());
  await first;
  expect(roster.find(mallory)).toBeUndefined();
});
