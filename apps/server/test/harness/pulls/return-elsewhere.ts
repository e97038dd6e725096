import { expect } from 'bun:test';
import { generateMasterKey, parseKeyRing } from '../../../src/kernel/seal.ts';
import { dangerous } from '../../../src/platform/permissions.ts';
import { createBackupFixture } from '../backups/fixture.ts';
import { createServer } from '../bots-and-servers.ts';
import { eventually } from '../eventually.ts';
import { randomPlatformId, startTestService } from '../service.ts';
import { startTestSimulator } from '../simulator/start.ts';
import { startJobWorker } from '../workers/job-worker.ts';
import { countByPerson } from './fixture.ts';
import { addManyMembers, type MemberWithToken, newPullServer } from './many-members.ts';

const kickMembers = 1n << 1n;
const manageMessages = 1n << 13n;

/** The last three are dangerous: by itself, in a channel, and as an administrator. */
const roleNames = ['Crew', 'Artist', 'Singer', 'Cook', 'Mate', 'Helper', 'Captain'] as const;
type RoleName = (typeof roleNames)[number];
const safeNames: readonly string[] = roleNames.slice(0, 4);

const permissionsOf: Partial<Record<RoleName, bigint>> = { Mate: kickMembers, Captain: 8n };

type Held = { nick: string | null; names: RoleName[] };

/** What each member had, the same for the same place in the list. */
const heldBy = (place: number): Held => ({
  nick: place % 3 === 0 ? null : `Sailor ${place}`,
  names: roleNames.filter((_, at) => (place >> at) % 2 === 1),
});

const leaseTimes = {
  ...{ leaseMs: 4000, renewMs: 800, marginMs: 800 },
  retryHeldSeconds: 1,
};

const jobs = ['backups.run', 'restores.run'];

/**
 * A server whose members have roles and nicknames is backed up and wrecked, and its backup is restored
 * into another guild. Pulls are run by workers of their own, which can be killed.
 */
export const startReturnElsewhere = async (count: number) => {
  const patienceMs = 60_000 + 20 * count;
  const masterKeys = generateMasterKey();
  const ring = parseKeyRing(masterKeys);
  const simulator = await startTestSimulator();
  const platformApiUrl = simulator.apiUrl;
  const service = await startTestService({ ring, platformApiUrl, doesWork: jobs });
  const { db, databaseUrl, dataDir } = service;
  const backups = createBackupFixture(service, simulator);
  const owner = await service.newTenant();
  const server = await newPullServer(owner);
  const members = await addManyMembers({ db, ring, simulator }, server, count);

  const guildOf = (guildId: string) => simulator.control('GET', `/guilds/${guildId}`);
  const roleIds = new Map(roleNames.map((name) => [name, randomPlatformId()]));
  const roles = roleNames.map((name) => ({
    ...{ id: roleIds.get(name), name, permissions: String(permissionsOf[name] ?? 0n) },
  }));
  const moderated = {
    id: roleIds.get('Helper'),
    type: 0,
    allow: String(manageMessages),
    deny: '0',
  };
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    roles,
    channels: [{ id: randomPlatformId(), name: 'deck', permission_overwrites: [moderated] }],
    members: members.map(({ platformId }, place) => {
      const { nick, names } = heldBy(place);
      return { user: { id: platformId }, nick, roles: names.map((name) => roleIds.get(name)) };
    }),
  });
  const owned = { ...server, tenant: owner };
  const backup = await backups.takeBackup(owned);
  expect(backup).toMatchObject({ status: 'completed', suspicious: false });
  await simulator.control('PUT', `/guilds/${server.guildId}`, {});

  const targetGuildId = randomPlatformId();
  await simulator.control('PUT', `/guilds/${targetGuildId}`, {});
  const place = { platformGuildId: targetGuildId, customBotId: server.botId };
  const targetServerId = await createServer(owner, place);
  const path = `${backups.backupsOf(server.serverId)}/${backup.id}/restore`;
  const body = { targetServerId, components: ['roles', 'channels'] };
  const asked = await owner.call('POST', path, { body });
  expect(asked.status).toBe(202);
  expect((await backups.restored(owned, asked.body.data.id)).status).toBe('completed');
  await simulator.control('DELETE', '/log');

  const workers: Awaited<ReturnType<typeof startJobWorker>>[] = [];
  const read = async (pullId: string) =>
    (await owner.call('GET', `/api/v1/pulls/${pullId}`)).body.data;
  const callsOn = async (method: string): Promise<Parameters<typeof countByPerson>[0]> => {
    const log: Parameters<typeof countByPerson>[0] = await simulator.control('GET', '/log');
    const route = '/guilds/:id/members/:id';
    return log.filter((call) => call.method === method && call.route === route);
  };

  return {
    ...{ owner, server, members, backup, read },
    async startWorker() {
      const worker = await startJobWorker({
        ...{ DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys, DATA_DIR: dataDir },
        ...{ PLATFORM_API_URL: platformApiUrl, WORKER_ID: `worker-${workers.length}` },
        ...{ LEASE_TIMES: JSON.stringify(leaseTimes), CALLS_PER_SECOND: '100000' },
      });
      workers.push(worker);
      return worker;
    },
    async begin(request: object = {}): Promise<string> {
      const reply = await owner.call('POST', `/api/v1/servers/${server.serverId}/pull`, {
        body: { targetServerId, ...request },
      });
      expect(reply.status).toBe(202);
      return reply.body.data.id;
    },
    untilProcessed: (pullId: string, least: number) =>
      eventually(patienceMs, async () => {
        expect((await read(pullId)).processed).toBeGreaterThanOrEqual(least);
      }),
    ended: (pullId: string) =>
      eventually(patienceMs, async () => {
        const pull = await read(pullId);
        expect(pull.status).toBeOneOf(['completed', 'failed', 'cancelled']);
        return pull;
      }),
    /** The calls about members one by one: how often each joined, and what else there was. */
    async calls() {
      const additions = await callsOn('PUT');
      return {
        joins: countByPerson(additions, 201),
        repeated: countByPerson(additions, 204),
        edits: (await callsOn('PATCH')).length,
      };
    },
    /** Everyone has the roles and the nickname of the backup, and nobody a dangerous permission. */
    async expectWhole() {
      const { members: present, roles: live, channels } = await guildOf(targetGuildId);
      const nameOf = new Map<string, string>(
        live.map(({ id, name }: { id: string; name: string }) => [id, name]),
      );
      const found = new Map<string, { nick: string | null; roles: string[] }>(
        present.map(({ user, nick, roles: held }: never) => [
          Reflect.get(user, 'id'),
          { nick, roles: held },
        ]),
      );
      const actual = members.map((member) => describe(found, nameOf, member));
      const expected = members.map(({ platformId }, at) => {
        const { nick, names } = heldBy(at);
        const safe = names.filter((name) => safeNames.includes(name)).toSorted();
        return { platformId, nick, names: safe };
      });
      expect(actual).toEqual(expected);
      const given = new Set(
        [...found].flatMap(([id, { roles: held }]) => (isPulled(id) ? held : [])),
      );
      expect(powersOf(given, live, channels)).toBe(0n);
    },
    async stop() {
      for (const worker of workers) await worker.end();
      await service.stop();
      await simulator.stop();
    },
  };

  function isPulled(id: string): boolean {
    return members.some(({ platformId }) => platformId === id);
  }
};

const describe = (
  found: Map<string, { nick: string | null; roles: string[] }>,
  nameOf: Map<string, string>,
  { platformId }: MemberWithToken,
) => {
  const { nick = undefined, roles = [] } = found.get(platformId) ?? {};
  return { platformId, nick, names: roles.map((id) => nameOf.get(id)).toSorted() };
};

type SimulatedRole = { id: string; permissions: string };
type SimulatedChannel = { permission_overwrites: { id: string; allow: string }[] };

/** The dangerous permissions that these roles give, in the server or in a channel. */
const powersOf = (
  given: Set<string>,
  roles: SimulatedRole[],
  channels: SimulatedChannel[],
): bigint => {
  const own = roles.filter(({ id }) => given.has(id)).map(({ permissions }) => BigInt(permissions));
  const allowed = channels
    .flatMap(({ permission_overwrites }) => permission_overwrites)
    .filter(({ id }) => given.has(id))
    .map(({ allow }) => BigInt(allow));
  return [...own, ...allowed].reduce((all, bits) => all | bits, 0n) & dangerous;
};
