import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { createAttacks } from '../../../../test/harness/attacks/attacked-server.ts';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { largeGuild } from '../../../../test/harness/guilds/large-guild.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { permission } from '../../../platform/permissions.ts';
import { runRepair, runRestore } from '../jobs.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
let wideLimits: object;
beforeAll(async () => {
  simulator = await startTestSimulator();
  wideLimits = await simulator.control('GET', '/limits');
  service = await startTestService({
    platformApiUrl: simulator.apiUrl,
    doesWork: ['backups.run', 'restores.run', 'restores.repair'],
  });
  fixture = createBackupFixture(service, simulator);
});
afterEach(() => simulator.control('PUT', '/limits', wideLimits));
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

type Thing = { id: string; name: string };
type Call = { method: string; route: string | null; guildId: string | null; applied: boolean };

const hourMs = 3_600_000;
const size = { channels: 3, roles: 3, emojis: 4, pictureBytes: 200 };

/** A server whose backup has more than it has now: roles, channels and emojis are to be made. */
const damagedServer = async ({ isLastPrivate = false } = {}) => {
  const server = await fixture.newServer({});
  const guild = largeGuild(server.guildId, size);
  const shut = { id: server.guildId, type: 0, allow: '0', deny: String(permission.viewChannel) };
  if (isLastPrivate) Object.assign(guild.channels.at(-1) ?? {}, { permission_overwrites: [shut] });
  await simulator.control('PUT', `/guilds/${server.guildId}`, guild);
  const backup = await fixture.takeBackup(server);
  const { roles } = await simulator.control('GET', `/guilds/${server.guildId}`);
  const left = roles.filter(({ id }: Thing) => id === server.guildId);
  await simulator.control('PUT', `/guilds/${server.guildId}`, { roles: left, channels: [] });
  await simulator.control('DELETE', '/log');
  return { server, guild, backup };
};

const begin = async ({ tenant, serverId }: OwnedGuild, backupId: string): Promise<string> => {
  const path = `${fixture.backupsOf(serverId)}/${backupId}/restore`;
  return (await tenant.call('POST', path, { body: {} })).body.data.id;
};

const read = async ({ tenant }: OwnedGuild, id: string) =>
  (await tenant.call('GET', `/api/v1/restores/${id}`)).body.data;

const untilItWaits = (server: OwnedGuild, id: string) =>
  eventually(30_000, async () => {
    const restore = await read(server, id);
    expect(restore.resumesAt).not.toBeNull();
    return restore;
  });

const setQuota = (quotas: object) => simulator.control('PUT', '/limits', { ...wideLimits, quotas });

const callsTo = async ({ guildId }: OwnedGuild): Promise<Call[]> =>
  (await simulator.control('GET', '/log')).filter((call: Call) => call.guildId === guildId);

const creations = async (server: OwnedGuild, things: string): Promise<number> =>
  (await callsTo(server)).filter(
    ({ method, route, applied }) =>
      method === 'POST' && applied && route === `/guilds/:id/${things}`,
  ).length;

/** As if the hour had passed. */
const letTimePass = async (restoreId: string, job = runRestore) => {
  await simulator.control('PUT', '/limits', wideLimits);
  await service.db.$client`update restores set resumes_at = now() where id = ${restoreId}`;
  await service.db.$client`
    update pgboss.job set start_after = now()
    where name = ${job.name} and state = 'created' and data ->> 'restoreId' = ${restoreId}`;
  await service.db.transaction((tx) =>
    // Any job wakes the worker, which polls rarely.
    service.queue.enqueue(tx, job, { restoreId: crypto.randomUUID(), accountId: restoreId }),
  );
};

test('a quota of an hour is waited for without a worker; everything else is done before', async () => {
  const { server, guild, backup } = await damagedServer();
  await setQuota({ emojis: { limit: 1, perMs: hourMs } });
  const id = await begin(server, backup.id);
  const waiting = await untilItWaits(server, id);
  expect(waiting).toMatchObject({ status: 'running', error: null });
  expect(Date.parse(waiting.resumesAt) - Date.now()).toBeWithin(hourMs - 60_000, hourMs + 1000);
  expect(await creations(server, 'emojis')).toBe(1);
  expect(await creations(server, 'channels')).toBe(guild.channels.length);
  const names = (things: Thing[]) => things.map(({ name }) => name).toSorted();
  const between = await simulator.control('GET', `/guilds/${server.guildId}`);
  expect(names(between.channels)).toEqual(names(guild.channels));
  await eventually(5000, async () => {
    const leases = await service.db.$client`
      select subject from job_leases where subject = ${`restore:${id}`}`;
    expect(leases).toHaveLength(0);
  });

  await letTimePass(id);
  const done = await fixture.restored(server, id);
  expect(done).toMatchObject({ status: 'completed', warnings: [], resumesAt: null });
  expect(await creations(server, 'emojis')).toBe(size.emojis);
  expect(await creations(server, 'channels')).toBe(guild.channels.length);
  const after = await simulator.control('GET', `/guilds/${server.guildId}`);
  expect(names(after.emojis)).toEqual(names(guild.emojis));
});

test('a private channel that somebody opens while a restore waits is closed at its end, and named', async () => {
  const { server, guild, backup } = await damagedServer({ isLastPrivate: true });
  await setQuota({ emojis: { limit: 1, perMs: hourMs } });
  const id = await begin(server, backup.id);
  await untilItWaits(server, id);
  const path = `/guilds/${server.guildId}`;
  const channelsNow = async (): Promise<(Thing & { permission_overwrites: object[] })[]> =>
    (await simulator.control('GET', path)).channels;
  const name = guild.channels.at(-1)?.name;
  const channels = (await channelsNow()).map((one) =>
    one.name === name ? { ...one, permission_overwrites: [] } : one,
  );
  await simulator.control('PUT', path, { ...(await simulator.control('GET', path)), channels });
  await letTimePass(id);
  const { status, warnings } = await fixture.restored(server, id);
  const wasOpen = `#${name} was open to people who must not see it, and has been closed.`;
  expect([status, warnings]).toEqual(['completed', [wasOpen]]);
  const closed = (await channelsNow()).find((one) => one.name === name);
  expect(closed?.permission_overwrites).toEqual([
    { id: server.guildId, type: 0, allow: '0', deny: String(permission.viewChannel) },
  ]);
});

test('roles that must wait hold back what is built upon them', async () => {
  const { server, guild, backup } = await damagedServer();
  await setQuota({ roles: { limit: 1, perMs: 48 * hourMs } });
  const id = await begin(server, backup.id);
  await untilItWaits(server, id);
  expect(await creations(server, 'roles')).toBe(1);
  expect(await creations(server, 'channels')).toBe(0);
  await letTimePass(id);
  expect(await fixture.restored(server, id)).toMatchObject({ status: 'completed', warnings: [] });
  expect(await creations(server, 'roles')).toBe(size.roles - 1);
  expect(await creations(server, 'channels')).toBe(guild.channels.length);
});

test('a worker that takes it up too early makes no call, and it still goes on in time', async () => {
  const { server, backup } = await damagedServer();
  await setQuota({ emojis: { limit: 0, perMs: hourMs } });
  const restoreId = await begin(server, backup.id);
  await untilItWaits(server, restoreId);
  const { accountId } = server.tenant;
  const before = await callsTo(server);
  // As after the death of the worker that put it off.
  await service.db.transaction((tx) =>
    service.queue.enqueue(tx, runRestore, { restoreId, accountId }),
  );
  await eventually(10_000, async () => {
    const [job] = await service.db.$client`
      select count(*) filter (where state = 'completed') as ran from pgboss.job
      where name = ${runRestore.name} and data ->> 'restoreId' = ${restoreId}`;
    expect(Number(job.ran)).toBe(2);
  });
  expect(await callsTo(server)).toEqual(before);
  await letTimePass(restoreId);
  expect(await fixture.restored(server, restoreId)).toMatchObject({ status: 'completed' });
  expect(await creations(server, 'emojis')).toBe(size.emojis);
});

test('a restore that waits can be cancelled', async () => {
  const { server, backup } = await damagedServer();
  await setQuota({ emojis: { limit: 0, perMs: hourMs } });
  const id = await begin(server, backup.id);
  await untilItWaits(server, id);
  const reply = await server.tenant.call('POST', `/api/v1/restores/${id}/cancel`);
  expect(reply.status).toBe(200);
  const ended = await fixture.restored(server, id);
  expect(ended).toMatchObject({ status: 'cancelled', resumesAt: null });
});

/** Somebody has deleted so many emojis. */
const attackedServer = async (deleted: number) => {
  const server = await fixture.newServer({});
  const path = `/guilds/${server.guildId}`;
  await simulator.control('PUT', path, largeGuild(server.guildId, size));
  await fixture.takeBackup(server);
  const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);
  const [attacker, reader] = [newPerson(), newPerson()];
  for (const { id } of (await guildOf(server)).emojis.slice(0, deleted)) {
    await attacker.call('DELETE', `${path}/emojis/${id}`);
  }
  return { server, ...(await storeAttack(server, reader, attacker.id)) };
};

test('a repair waits for a quota in the same way, and no repair of another tenant does with it', async () => {
  const [first, other] = [await attackedServer(3), await attackedServer(1)];
  await simulator.control('DELETE', '/log');
  await setQuota({ emojis: { limit: 1, perMs: hourMs } });
  const repair = async ({ server, repair: path }: typeof first): Promise<string> =>
    (await server.tenant.call('POST', path)).body.data.id;
  const id = await repair(first);
  await untilItWaits(first.server, id);
  expect(await creations(first.server, 'emojis')).toBe(1);
  expect(await fixture.restored(other.server, await repair(other))).toMatchObject({
    ...{ status: 'completed', warnings: [] },
  });
  expect(await creations(other.server, 'emojis')).toBe(1);
  await letTimePass(id, runRepair);
  expect(await fixture.restored(first.server, id)).toMatchObject({
    ...{ status: 'completed', warnings: [], resumesAt: null },
  });
  expect(await creations(first.server, 'emojis')).toBe(3);
});
