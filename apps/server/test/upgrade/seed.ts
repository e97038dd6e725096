/**
 * What the load works on: an account with a key and a session, a server to back up, servers to pull into.
 * Run with the sources of the version from which is upgraded, because it writes to the database as that
 * version does: `bun seed.ts '{ …SeedInput }'` in its `apps/server/test/upgrade`.
 */
import { closeDatabase, connectDatabase } from '../../src/db/connect.ts';
import { createServer } from '../harness/bots-and-servers.ts';
import { signInByRow } from '../harness/dashboard/session.ts';
import { addManyMembers, newPullServer, readRing } from '../harness/pulls/many-members.ts';
import { createKey, tenantAt } from '../harness/running-service.ts';
import { randomPlatformId } from '../harness/service.ts';
import { growGuild } from '../nemesis/guild/guild.ts';

export type SeedInput = {
  databaseUrl: string;
  dataDir: string;
  url: string;
  simulatorUrl: string;
  pulls: number;
  membersOfEach: number;
};

export type Seed = {
  key: string;
  accountId: string;
  cookie: string;
  serverId: string;
  guildId: string;
  pullServers: { serverId: string; guildId: string; members: number }[];
};

const seed = async (input: SeedInput): Promise<Seed> => {
  const { databaseUrl, dataDir, url, simulatorUrl } = input;
  const control = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const text = await (await fetch(`${simulatorUrl}/__sim${path}`, sent)).text();
    return text === '' ? undefined : JSON.parse(text);
  };
  const created = await createKey(databaseUrl);
  const tenant = tenantAt(url, created);
  const guildId = randomPlatformId();
  await control('PUT', `/guilds/${guildId}`, growGuild(await control('GET', `/guilds/${guildId}`)));
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const db = connectDatabase(databaseUrl, { name: 'holdfast-seed', poolSize: 1 });
  const dependencies = { db, ring: await readRing(dataDir), simulator: { control } };
  const pullServers: Seed['pullServers'] = [];
  for (let made = 0; made < input.pulls; made++) {
    const server = await newPullServer(tenant);
    const { length: members } = await addManyMembers(dependencies, server, input.membersOfEach);
    pullServers.push({ serverId: server.serverId, guildId: server.guildId, members });
  }
  await closeDatabase(db);
  const cookie = await signInByRow(databaseUrl, created);
  const { key, accountId } = created;
  return { key, accountId, cookie, serverId, guildId, pullServers };
};

process.stdout.write(JSON.stringify(await seed(JSON.parse(process.argv[2] ?? ''))));
process.exit(0);
