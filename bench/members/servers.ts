import { createBot, createServer } from '../lib/contents.ts';
import type { Bench, Tenant } from '../lib/environment.ts';
import { print, seconds } from '../lib/print.ts';
import { insertNamedMembers, writeEverythingOut } from '../lib/queries.ts';

export type MemberServer = { id: string; owner: Tenant; members: number };
type MemberServers = { small: MemberServer; large: MemberServer };

/** In no name that `seed-members` makes up, so that a search for it finds these and no others. */
export const rareWord = 'quokka';
export const rareMembers = 10;

const made = new WeakMap<Bench, Promise<MemberServers>>();

/** Both are made at the first call: a part that runs alone needs them as well. */
export const memberServersOf = (bench: Bench): Promise<MemberServers> => {
  const known = made.get(bench) ?? makeServers(bench);
  made.set(bench, known);
  return known;
};

const makeServers = async (bench: Bench): Promise<MemberServers> => {
  const owner = await bench.newTenant();
  const botId = await createBot(bench, owner, 1);
  const make = async (guildId: number, members: number) => {
    const id = await createServer(bench, owner, botId, guildId);
    await seed(bench, { id, owner, members });
    return { id, owner, members };
  };
  const servers = { small: await make(1, 1000), large: await make(2, 1_000_000) };
  await writeEverythingOut(bench.sql);
  print();
  return servers;
};

const seed = async (bench: Bench, { id, owner, members }: MemberServer): Promise<void> => {
  const startedAt = performance.now();
  const size = ['--count', String(members), '--pullable', String(members / 2)];
  // No part that is measured looks at tokens, and half a million of them take their time.
  await bench.admin('seed-members', '--server', id, ...size, '--tokens', 'no');
  const server = { id, accountId: owner.accountId };
  await insertNamedMembers(bench.sql, server, { word: rareWord, count: rareMembers });
  print(`seeding ${members} members took ${seconds(performance.now() - startedAt)}`);
};
