import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../../test/harness/simulator/platform.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { AskGivable, GuildPlatform } from '../../../platform/port.ts';
import type { HeldBack } from './held-back.ts';
import { askWhenSent } from './judge-roles.ts';

let simulated: SimulatedPlatform;
beforeAll(async () => {
  simulated = await startSimulatedPlatform();
});
afterAll(() => simulated.stop());

const crew = { id: '7001', name: 'Crew', permissions: '0' };
const [first, second] = ['501', '502'];
const noRoles: string[] = [];

const setGuild = (guildId: string, changes: object): Promise<void> => {
  const members = [first, second].map((id) => ({ user: { id }, roles: noRoles }));
  return simulated.control('PUT', `/guilds/${guildId}`, { roles: [crew], members, ...changes });
};

const holdersIn = async (guildId: string): Promise<string[]> => {
  const { members }: { members: { user: { id: string }; roles: string[] }[] } =
    await simulated.control('GET', `/guilds/${guildId}`);
  return members.filter(({ roles }) => roles.includes(crew.id)).map(({ user }) => user.id);
};

type Change = (guildId: string, held: HeldBack) => Promise<void> | void;

const kick = 1n << 1n;
const overwrite = { id: crew.id, type: 0, allow: String(1n << 13n), deny: '0' };
const changes: Record<string, Change> = {
  'becomes dangerous': (id) => setGuild(id, { roles: [{ ...crew, permissions: String(kick) }] }),
  'gets power by an overwrite': (id) =>
    setGuild(id, { channels: [{ id: '7101', name: 'deck', permission_overwrites: [overwrite] }] }),
  'is about to get power by a restore': (_, held) => {
    held.coming = new Map([[crew.id, kick]]);
  },
  'is taken from the person': (_, held) => {
    held.taken = [crew.id];
  },
};

type Way = (guild: GuildPlatform, userId: string, ask: AskGivable) => Promise<unknown>;

const applicationId = freshId();
const tokenOf = async (userId: string): Promise<Secret> => {
  const wish = { clientId: applicationId, userId, scopes: ['guilds.join'] };
  const pair: { access_token: string } = await simulated.control('POST', '/tokens', wish);
  return new Secret(pair.access_token);
};

const ways: Record<string, Way> = {
  'PUT /guilds/:id/members/:id/roles/:id': (guild, id, ask) => guild.giveRole(id, crew.id, ask),
  'PATCH /guilds/:id/members/:id': (guild, userId, ask) =>
    guild.giveRoles({ userId, roleIds: [] }, { roleIds: ask }),
  'PUT /guilds/:id/members/:id': (guild, _, ask) => {
    const newcomer = freshId();
    return guild.addMember(newcomer, () => tokenOf(newcomer), { roleIds: ask });
  },
};

test('a role that becomes dangerous while its call waits for the bucket is given to nobody', async () => {
  const bot = simulated.platform.bot(botTokenOf(applicationId));
  // Longer than what was read of a guild counts as new.
  const bucket = { limit: 1, perMs: 3000 };
  const routes = Object.fromEntries(Object.keys(ways).map((route) => [route, bucket]));
  const wide = await simulated.control('GET', '/limits');
  await simulated.control('PUT', '/limits', { ...wide, routes });
  const holdersBy = async (way: Way, change: Change) => {
    const guildId = freshId();
    const held: HeldBack = { taken: undefined, coming: new Map() };
    const give = (userId: string): Promise<unknown> => {
      const asking = { bot, guildId, findHeld: async () => ({ ...held }) };
      const { ask } = askWhenSent(asking, [{ roleId: crew.id }]);
      return way(bot.guild(guildId), userId, ask).catch(({ kind }: { kind: string }) =>
        expect(kind).toBe('withheld'),
      );
    };
    await setGuild(guildId, {});
    await give(first);
    const before = await holdersIn(guildId);
    const waiting = give(second);
    await Bun.sleep(500);
    await change(guildId, held);
    await waiting;
    const after = await holdersIn(guildId);
    return [before.length, after.filter((id) => !before.includes(id)).length];
  };
  const cases = Object.entries(ways).flatMap(([route, way]) =>
    Object.entries(changes).map(([name, change]) => ({ what: `${route} ${name}`, way, change })),
  );
  const given = await Promise.all(
    cases.map(async ({ what, way, change }) => [what, await holdersBy(way, change)]),
  );
  expect(given).toEqual(cases.map(({ what }) => [what, [1, 0]]));
});
