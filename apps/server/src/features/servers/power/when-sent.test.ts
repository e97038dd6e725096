import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  botTokenOf,
  freshId,
  type SimulatedPlatform,
  startSimulatedPlatform,
} from '../../../../test/harness/simulator/platform.ts';
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

const rolesIn = async (guildId: string, userId: string): Promise<string[] | undefined> => {
  const { members }: { members: { user: { id: string }; roles: string[] }[] } =
    await simulated.control('GET', `/guilds/${guildId}`);
  return members.find(({ user }) => user.id === userId)?.roles;
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

test('a role that becomes dangerous while its call waits for the bucket is given to nobody', async () => {
  const bot = simulated.platform.bot(botTokenOf(freshId()));
  // Longer than what was read of a guild counts as new.
  const routes = { 'PUT /guilds/:id/members/:id/roles/:id': { limit: 1, perMs: 3000 } };
  const wide = await simulated.control('GET', '/limits');
  await simulated.control('PUT', '/limits', { ...wide, routes });
  const outcomeOf = async (change: Change) => {
    const guildId = freshId();
    const held: HeldBack = { taken: undefined, coming: new Map() };
    const give = (userId: string): Promise<string> => {
      const asking = { bot, guildId, findHeld: async () => ({ ...held }) };
      const { ask } = askWhenSent(asking, [{ roleId: crew.id }]);
      return bot
        .guild(guildId)
        .giveRole(userId, crew.id, ask)
        .then(
          () => 'given',
          ({ kind }: { kind: string }) => kind,
        );
    };
    await setGuild(guildId, {});
    const given = await give(first);
    const waiting = give(second);
    await Bun.sleep(500);
    await change(guildId, held);
    return [given, await waiting, await rolesIn(guildId, second)];
  };
  const outcomes = await Promise.all(
    Object.entries(changes).map(async ([name, change]) => [name, await outcomeOf(change)]),
  );
  expect(Object.fromEntries(outcomes)).toEqual(
    Object.fromEntries(Object.keys(changes).map((name) => [name, ['given', 'withheld', []]])),
  );
});
