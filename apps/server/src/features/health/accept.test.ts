import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { createHealthFixture } from '../../../test/harness/health.ts';
import { readMissingStructures } from '../backups/last-good/jobs.ts';
import { health } from './feature.ts';

const {
  service,
  simulator,
  fixture: backups,
} = await startBackupFixture({
  doesWork: ['backups.run'],
});
const fixture = createHealthFixture(service, simulator, backups);
const idle = await startBackupFixture();

const setBot = async ({ tenant, serverId }: OwnedGuild, body: object) => {
  const server = (await tenant.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  const reply = await tenant.call('PUT', `/api/v1/bots/${server.customBotId}`, { body });
  expect(reply.status).toBe(200);
};

test('an owner who accepts a damaged server makes its present state the good one', async () => {
  const server = await fixture.newServer();
  await fixture.destroy(server, { channels: 6 });
  const reply = await fixture.accept(server);
  expect(reply.status).toBe(202);
  const accepted = await backups.ended(server, reply.body.data.id);
  expect(accepted).toMatchObject({ status: 'completed', kind: 'MANUAL', suspicious: false });
  expect(await fixture.healthOf(server)).toEqual({
    ...{ health: 'GOOD', reasons: [], lastGoodBackupId: accepted.id },
  });
  await fixture.destroy(server, { channels: 2 });
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'DAMAGED', reasons: ['CHANNELS_MISSING'] },
  });
});

test('what disappears after it was accepted does not become good with it', async () => {
  const server = await fixture.newServer();
  await fixture.destroy(server, { channels: 3 });
  const guild = await fixture.readGuild(server);
  const channels = guild.channels.slice(5);
  // Not reported yet, as what is deleted between the request and the backup.
  await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, channels });
  const { id } = (await fixture.accept(server)).body.data;
  expect((await backups.ended(server, id)).status).toBe('completed');
  expect(await fixture.healthOf(server)).toMatchObject({
    ...{ health: 'DAMAGED', lastGoodBackupId: server.backup.id },
  });
});

const acceptByKey = ({ tenant, serverId }: OwnedGuild) =>
  tenant.call('POST', `/api/v1/servers/${serverId}/health/accept`);

test('what a key accepts waits, is told at once, and is taken back by deleting its backup', async () => {
  const server = await idle.fixture.newServer();
  const { tenant, serverId } = server;
  const { status, body } = await acceptByKey(server);
  const minutes = (Date.parse(body.data.pending.at) - Date.now()) / 60_000;
  expect(status).toBe(202);
  expect(minutes).toBeWithin(9, 11);
  const path = `${backups.backupsOf(serverId)}/${body.data.id}`;
  expect((await tenant.call('GET', path)).body.data).toMatchObject({
    ...{ status: 'queued', pending: { action: 'accept', at: expect.any(String) } },
  });
  const [job] = await idle.service.db.$client`
    select start_after > now() + interval '9 minutes' as waits from pgboss.job
    where name = 'backups.run' and data ->> 'backupId' = ${body.data.id}`;
  expect(job.waits).toBe(true);
  const { data } = (await tenant.call('GET', '/api/v1/alerts')).body;
  expect(data[0]).toMatchObject({
    title: expect.stringContaining('will count as the good one'),
    detail: expect.stringMatching(/by the API key “.*take it back/),
    href: expect.stringContaining(`/backups/${body.data.id}`),
  });
  expect((await acceptByKey(server)).status).toBe(409);
  expect((await tenant.call('DELETE', path)).status).toBe(200);
  expect((await acceptByKey(server)).status).toBe(202);
});

test('what the owner accepts in the dashboard takes the place of what a key has accepted', async () => {
  const server = await fixture.newServer();
  const waiting = (await acceptByKey(server)).body.data.id;
  const { body } = await fixture.accept(server);
  expect(body.data.pending).toBeNull();
  expect(await backups.ended(server, body.data.id)).toMatchObject({ status: 'completed' });
  const path = `${backups.backupsOf(server.serverId)}/${waiting}`;
  expect((await server.tenant.call('GET', path)).status).toBe(404);
});

test('of many requests at once to accept a state one is carried out', async () => {
  // Without a worker, so that the first does not end before the last is asked for.
  const server = await idle.fixture.newServer();
  const replies = await Promise.all(
    Array.from({ length: 5 }, () =>
      createHealthFixture(idle.service, idle.simulator, idle.fixture).accept(server),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409]);
});

test('a state can be accepted again once the backup is completed', async () => {
  const server = await fixture.newServer();
  for (let time = 0; time < 2; time++) {
    const { id } = (await fixture.accept(server)).body.data;
    await backups.ended(server, id);
    expect(await fixture.lastGoodOf(server)).toBe(id);
  }
});

test('nothing is accepted where the bot is not in the guild or switched off, or a restore runs', async () => {
  const server = await fixture.newServer();
  const { guildId } = server;
  await fixture.report(server, { kind: 'guildGone', guildId });
  const lost = await fixture.accept(server);
  expect([lost.status, lost.body.error]).toEqual([
    409,
    expect.stringContaining('not in the guild'),
  ]);

  await fixture.reportAll(server);
  await setBot(server, { isActive: false });
  const off = await fixture.accept(server);
  expect([off.status, off.body.error]).toEqual([409, expect.stringContaining('switched off')]);

  await setBot(server, { isActive: true });
  await service.db.$client`
    insert into restores (id, account_id, server_id, backup_id, components, status)
    values (${Bun.randomUUIDv7()}, ${server.tenant.accountId}, ${server.serverId}, ${server.backup.id}, '[]', 'running')`;
  const busy = await fixture.accept(server);
  expect([busy.status, busy.body.error]).toEqual([409, expect.stringContaining('under way')]);
  const list = await server.tenant.call('GET', backups.backupsOf(server.serverId));
  expect(list.body.data).toHaveLength(1);
});

test('accepting counts as a backup of the plan', async () => {
  const tenant = await service.newTenant({ plan: 'FREE' });
  const server = await fixture.newServer(undefined, tenant);
  await service.db.$client`
    insert into backups (id, account_id, server_id, name, kind, status, components, messages_per_channel)
    select gen_random_uuid(), ${tenant.accountId}, ${server.serverId}, 'one of many', 'MANUAL', 'completed', '[]', 0
    from generate_series(1, 14)`;
  const reply = await fixture.accept(server);
  expect([reply.status, reply.body.error]).toEqual([
    403,
    expect.stringContaining('limit for backups'),
  ]);
});

test('the structure of a good backup of an earlier version is read from it', async () => {
  const server = await fixture.newServer();
  await service.db.$client`update backups set structure = null where id = ${server.backup.id}`;
  await fixture.reportAll(server);
  expect((await fixture.healthOf(server)).health).toBe('UNKNOWN');
  await readAllStructures();
  expect((await fixture.healthOf(server)).health).toBe('GOOD');
  await fixture.destroy(server, { channels: 3 });
  expect((await fixture.healthOf(server)).health).toBe('DAMAGED');
});

const readAllStructures = async () => {
  const { db, blobs, log } = service;
  const { assessHealth } = health.create(service);
  await readMissingStructures({ db, blobs, log, assessHealth }, new AbortController().signal);
};
