import { describe, expect, test } from 'bun:test';
import { snapshotOf } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newRole } from '../../../../test/harness/guilds/parts.ts';
import { guildId, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { permission } from '../../../platform/permissions.ts';
import { planCopy } from './plan-copy.ts';

const bot = { userId: '77', roleIds: ['7700'] };
const powers = (permission.manageChannels | permission.manageRoles).toString();
const [mate, skipper] = [
  newRole({ id: '203', name: 'Mate', position: 3, permissions: powers }),
  newRole({ id: '204', name: 'Skipper', position: 5, permissions: powers }),
];

/** @everyone, Member, Staff, then the given roles, with the bot's own at position 4. */
const copyOf = (...extra: ReturnType<typeof newRole>[]) => {
  const guild = smallGuild();
  guild.roles = guild.roles.map((role) => (role.id === '7700' ? { ...role, position: 4 } : role));
  guild.roles.push(...extra);
  guild.members.push({ userId: '501', nick: 'Ann', roleIds: ['203'], isBot: false });
  guild.bans.push({ userId: '502', reason: 'Spam' });
  const [general] = guild.channels;
  general?.overwrites.push(
    { id: '501', kind: 'member', allow: '1024', deny: '0' },
    { id: bot.userId, kind: 'member', allow: '1024', deny: '0' },
  );
  return planCopy(snapshotOf(guild), bot);
};

describe('the copy of a drill', () => {
  test('has the rooms of the server, and nobody who lives there', () => {
    const { state, structure } = copyOf(mate);
    expect(state.channels).toHaveLength(2);
    const ids = state.roles.map(({ id }) => id);
    expect(ids).toEqual([guildId, '201', '202', '7700', '203']);
    expect(state.roles.find(({ id }) => id === '7700')).toMatchObject({
      ...{ managed: true, position: 4, tags: { bot_id: bot.userId } },
    });
    expect(state.members.map(({ user }) => user.username)).toEqual([
      ...['owner', 'holdfast', 'attacker'],
    ]);
    const told = JSON.stringify([state, structure]);
    for (const person of ['501', '502', 'Ann', 'Spam']) expect(told).not.toContain(`"${person}"`);
    expect(state.channels[0]).toMatchObject({
      permission_overwrites: [{ type: 1 }, { id: bot.userId, type: 1 }],
    });
  });

  test('is attacked by the most powerful role below the bot, which can be stopped', () => {
    const { attacker, targets, cannotStop } = copyOf(mate, skipper);
    expect(attacker.roleIds).toEqual(['203']);
    expect(targets).toEqual({ channelIds: ['301', '302'], roleIds: ['201', '202'] });
    expect(cannotStop).toBeNull();
  });

  test('is attacked by an invented role where no role is powerful', () => {
    const { attacker, targets, cannotStop, structure } = copyOf();
    const positions = Object.fromEntries(structure.roles.map((one) => [one.id, one.position]));
    const [roleId = ''] = attacker.roleIds;
    expect([positions[roleId], positions['7700']]).toEqual([4, 5]);
    expect(targets.roleIds).toEqual(['201', '202']);
    expect(cannotStop).toBeNull();
  });

  test('says why nobody could be stopped', () => {
    expect(copyOf(skipper).cannotStop).toBe('ROLE_TOO_HIGH');
    const guild = smallGuild();
    const weak = { ...bot, roleIds: [] };
    expect(planCopy(snapshotOf(guild), weak).cannotStop).toBe('MISSING_PERMISSION');
  });
});
