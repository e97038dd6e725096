import { createBot, createServer } from './contents.ts';
import { print, seconds } from './print.ts';
import { insertNamedMembers, writeEverythingOut } from './queries.ts';
import type { Tenant, World } from './world.ts';

export type MemberServer = { id: string; owner: Tenant; members: number };
export type MemberServers = { small: MemberServer; large: MemberServer };

/** In no name that `seed-members` makes up, so that a search for it finds these and no others. */
export const rareWord = 'quokka';
export const rareMembers = 10;

const made = new WeakMap<World, Promise<MemberServers>>();

/** Both are made at the first call: a part that runs alone needs them as well. */
export const memberServersOf = (world: World): Promise<MemberServers> => {
  const known = made.get(world) ?? makeServers(world);
  made.set(world, known);
  return known;
};

const makeServers = async (world: World): Promise<MemberServers> => {
  const owner = await world.newTenant();
  const botId = await createBot(world, owner, 1);
  const make = async (guildId: number, members: number) => {
    const id = await createServer(world, owner, botId, guildId);
    await seed(world, { id, owner, members });
    return { id, owner, members };
  };
  const servers = { small: await make(1, 1000), large: await make(2, 1_000_000) };
  await writeEverythingOut(world.sql);
  print();
  return servers;
};

const seed = async (world: World, { id, owner, members }: MemberServer): Promise<void> => {
  const startedAt = performance.now();
  const size = ['--count', String(members), '--pullable', String(members / 2)];
  // No part that is measured looks at tokens, and half a million of them take their time.
  await world.admin('seed-members', '--server', id, ...size, '--tokens', 'no');
  const server = { id, accountId: owner.accountId };
  await insertNamedMembers(world.sql, server, { word: rareWord, count: rareMembers });
  print(`seeding ${members} members took ${seconds(performance.now() - startedAt)}`);
};
