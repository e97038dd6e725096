import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Channel, Role } from '../../../platform/guild.ts';
import { type BotPermissions, dangerous, permission } from '../../../platform/permissions.ts';
import { mapRoles, wishFor } from './map-roles.ts';

const guildId = '1';

const roleOf = (id: string, changes: Partial<Role> = {}): Role => ({
  ...{ id, name: `role ${id}`, permissions: '0', position: 5, isManaged: false, botId: null },
  ...{ isHoisted: false, isMentionable: false, iconHash: null, unicodeEmoji: null },
  colors: { primary: 0, secondary: null, tertiary: null },
  ...changes,
});

/** Only its overwrites are read. */
const channelAllowing = (id: string, allow: bigint): Channel =>
  ({ overwrites: [{ id, kind: 'role', allow: String(allow), deny: '0' }] }) as unknown as Channel;

const botWith = (permissions: bigint, highest = 100): BotPermissions => ({
  ...{ userId: '9', isAdministrator: false, permissions },
  reaches: ({ position }) => position < highest,
  holds: () => false,
});

const capable = botWith(permission.manageRoles | permission.manageNicknames);

type Case = {
  saved?: { id: string; name?: string | null; isManaged?: boolean; power?: bigint }[];
  live?: Role[];
  channels?: Channel[];
  bot?: BotPermissions;
  allowed?: string[];
  restoredIds?: Record<string, string>;
};

const map = ({ saved = [], live = [], channels = [], bot = capable, ...given }: Case) => {
  const roles = saved.map(({ id, name = `role ${id}`, isManaged = false, power = 0n }) => ({
    ...{ id, name, isManaged, power: String(power) },
  }));
  const { roles: mapped, unrestored } = mapRoles({
    saved: { guildId: '2', hasNicknames: false, roles },
    target: { guildId, roles: live, channels },
    allowed: new Set(given.allowed),
    restoredIds: given.restoredIds ?? {},
    bot,
  });
  const reasons = unrestored.flatMap((one) =>
    one.kind === 'role' ? [[one.roleId, one.reason]] : [],
  );
  return { mapped: Object.fromEntries(mapped), reasons: Object.fromEntries(reasons) };
};

describe('a role of the backup is', () => {
  test('the same role of the target, whatever its name is now', () => {
    const { mapped } = map({ saved: [{ id: '10' }], live: [roleOf('10', { name: 'Renamed' })] });
    expect(mapped).toEqual({ '10': '10' });
  });

  test('or the one that a restore made of it, and not one of the same name', () => {
    const live = [roleOf('20', { name: 'Anything' }), roleOf('30', { name: 'role 10' })];
    const restoredIds = { '10': '20' };
    expect(map({ saved: [{ id: '10' }], live, restoredIds }).mapped).toEqual({ '10': '20' });
  });

  test('or the only one of the same name, unless that has any power', () => {
    const saved = [{ id: '10', name: 'Crew' }];
    const crew = roleOf('20', { name: 'Crew' });
    expect(map({ saved, live: [crew] }).mapped).toEqual({ '10': '20' });
    const powers = [permission.kickMembers, permission.muteMembers, permission.administrator];
    for (const power of powers) {
      const strong = roleOf('20', { name: 'Crew', permissions: String(power) });
      // Naming it does not help: the owner saw another role.
      const found = map({ saved, live: [strong], allowed: ['10', '20'] });
      expect(found).toEqual({ mapped: {}, reasons: { '10': 'dangerousNamesake' } });
      const channels = [channelAllowing('20', power)];
      expect(map({ saved, live: [crew], channels }).mapped).toEqual({});
    }
  });

  test('none of several that have its name, and none of a name that several roles had', () => {
    const crew = (id: string) => roleOf(id, { name: 'Crew' });
    const one = [{ id: '10', name: 'Crew' }];
    expect(map({ saved: one, live: [crew('20'), crew('30')] }).reasons).toEqual({
      '10': 'ambiguous',
    });
    const two = [...one, { id: '11', name: 'Crew' }];
    expect(map({ saved: two, live: [crew('20')] }).mapped).toEqual({});
    // One of them is known by its id: then only one is left for the name.
    expect(map({ saved: two, live: [crew('10'), crew('20')] }).mapped).toEqual({
      ...{ '10': '10', '11': '20' },
    });
  });

  test('none where its name is not known and its id is gone', () => {
    const live = [roleOf('20', { name: '' })];
    expect(map({ saved: [{ id: '10', name: null }], live }).reasons).toEqual({ '10': 'missing' });
  });

  test('never everyone’s, a managed one, or one above the bot', () => {
    const live = [
      roleOf(guildId),
      roleOf('10', { isManaged: true }),
      roleOf('11', { position: 100 }),
    ];
    const saved = [
      { id: '2' },
      { id: guildId },
      { id: '10' },
      { id: '11' },
      { id: '12', isManaged: true },
    ];
    expect(map({ saved, live })).toEqual({
      mapped: {},
      reasons: { [guildId]: 'missing', '11': 'aboveBot' },
    });
  });

  test('none at all for a bot that may not manage roles', () => {
    const bot = botWith(permission.manageNicknames);
    const { reasons } = map({ saved: [{ id: '10' }], live: [roleOf('10')], bot });
    expect(reasons).toEqual({ '10': 'notAllowed' });
  });
});

const id = fc.integer({ min: 10, max: 25 }).map(String);
const bits = fc.bigInt({ min: 0n, max: (1n << 53n) - 1n });
const powers = fc.oneof(fc.constant(0n), bits, fc.constantFrom(...Object.values(permission)));
const name = fc.constantFrom('Crew', 'Mate', 'Cook', 'Captain');

const anyRole = fc
  .record({ id, name, powers, isManaged: fc.boolean(), position: fc.integer({ min: 1, max: 120 }) })
  .map((role) => roleOf(role.id, { ...role, permissions: String(role.powers) }));

test('nobody gains a dangerous permission that the owner did not name or that the role did not have, in any server', () => {
  const guilds = fc.record({
    saved: fc.uniqueArray(fc.record({ id, name, isManaged: fc.boolean(), power: powers }), {
      selector: (role) => role.id,
    }),
    live: fc.uniqueArray(anyRole, { selector: (role) => role.id }),
    channels: fc.array(fc.tuple(id, powers).map(([of, allow]) => channelAllowing(of, allow))),
    allowed: fc.array(id),
    restoredIds: fc.dictionary(id, id),
  });
  fc.assert(
    fc.property(guilds, (guild) => {
      const { mapped } = map(guild);
      const given = Object.entries(mapped);
      for (const [savedId, roleId] of given) {
        const role = guild.live.find((one) => one.id === roleId);
        if (!role) throw new Error('a role that is not there');
        expect([role.isManaged, role.position < 100]).toEqual([false, true]);
        const allowed = guild.channels
          .flatMap(({ overwrites }) => overwrites)
          .filter((overwrite) => overwrite.id === roleId)
          .reduce((all, { allow }) => all | BigInt(allow), BigInt(role.permissions));
        const isKnownById = savedId === roleId || guild.restoredIds[savedId] === roleId;
        const isNamed = guild.allowed.includes(savedId) && isKnownById;
        const had = guild.saved.find((one) => one.id === savedId)?.power ?? 0n;
        const wasAdministrator = (had & permission.administrator) !== 0n;
        const due = !isNamed ? 0n : wasAdministrator ? dangerous : had;
        expect(allowed & dangerous & ~due).toBe(0n);
      }
    }),
    { numRuns: 500 },
  );
});

test('a member is given at most as many roles as one call takes, the pull’s own among them', () => {
  const ids = Array.from({ length: 300 }, (_, at) => String(1000 + at));
  const roles = new Map(ids.map((one) => [one, one]));
  const { roleIds, nick } = wishFor(
    { roles, mayNickname: true },
    { nick: 'Bosun', roleIds: ids },
    '7',
  );
  expect([roleIds.length, roleIds[0], new Set(roleIds).size, nick]).toEqual([
    250,
    '7',
    250,
    'Bosun',
  ]);
  const without = wishFor(
    { roles, mayNickname: false },
    { nick: 'Bosun', roleIds: ['1000'] },
    '1000',
  );
  expect(without).toEqual({ roleIds: ['1000'], nick: undefined });
});
