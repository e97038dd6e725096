import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { guildActs } from '../../table.ts';

setDefaultTimeout(120_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['protection.contain', 'protection.resume-invites'],
      ...['protection.look-at-guild', 'protection.explain-losses'],
    ],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

/** The gateway tells this bot nothing of audit logs from now on. */
const silence = ({ bot }: ProtectedGuild, isSilent = true) =>
  fixture.simulator.control('PUT', '/gateway/faults', {
    ...{ botId: bot.platformId, withoutAuditLog: isSilent },
  });

/** Whoever asks for the audit log of the guild gets this. */
const answerWith = ({ guildId }: ProtectedGuild, status: number, body: object, times = 1000) =>
  fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/audit-logs', guildId },
    ...{ times, when: 'before', action: 'status', status, body },
  });

const queued = async ({ serverId }: ProtectedGuild) => {
  const rows = await fixture.service.db.$client`
    select state, data->>'round' as round from pgboss.job
    where name = 'protection.explain-losses' and data->>'serverId' = ${serverId} order by created_on`;
  return rows.map(({ state, round }: { state: string; round: string }) => `${round} ${state}`);
};

/** The job that waits runs now. */
const hurry = async ({ serverId }: ProtectedGuild) => {
  await fixture.service.db.$client`
    update pgboss.job set start_after = now()
    where name = 'protection.explain-losses' and data->>'serverId' = ${serverId}`;
};

const asked = (guild: ProtectedGuild, rounds: number) =>
  eventually(20_000, async () => {
    const jobs = await queued(guild);
    const ended = jobs.filter((job: string) => job.endsWith('completed'));
    if (ended.length < rounds) throw new Error(`Not asked yet: ${jobs}`);
    return jobs;
  });

const lost = ({ serverId }: ProtectedGuild, count: number) =>
  eventually(20_000, async () => {
    const rows = await fixture.service.db.$client`
      select 1 from guild_acts where server_id = ${serverId} and kind = 'lost'`;
    expect(rows).toHaveLength(count);
  });

const anIncident = (guild: ProtectedGuild) =>
  eventually(20_000, async () => {
    const [incident] = await guild.incidents();
    if (!incident) throw new Error('No incident yet');
    return incident;
  });

const alertOfIncident = (guild: ProtectedGuild) =>
  eventually(20_000, async () => {
    const { body } = await guild.owner.call('GET', '/api/v1/alerts');
    const alert = body.data.find(({ kind }: { kind: string }) => kind === 'INCIDENT');
    if (!alert) throw new Error('The owner was not told yet');
    return alert;
  });

test('twelve deleted channels of which the audit log is silent are an incident of nobody known, and whoever it names later is stopped', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 12 });
  const mallory = await guild.join();
  await guild.known();
  await guild.settled();
  await silence(guild);
  await answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds) await guild.deleteChannel(mallory, id);
  expect(await anIncident(guild)).toMatchObject({
    ...{ kind: 'NUKE', status: 'open', executors: [], objectsLost: 12 },
    acts: { total: 12, byKind: { channelDeletes: 12 } },
  });
  expect(await alertOfIncident(guild)).toMatchObject({
    detail: expect.stringContaining('Who did it is not known'),
  });
  expect((await guild.incidents())[0].status).toBe('open');

  await fixture.simulator.control('DELETE', '/faults');
  await asked(guild, 1);
  await hurry(guild);
  const [{ id }] = await guild.incidents();
  const contained = await guild.contained();
  expect(contained).toMatchObject({ id, objectsLost: 12, acts: { total: 12 } });
  expect(contained.executors).toMatchObject([{ platformId: mallory }]);
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
});

test('a bot that may not read the audit log opens an incident all the same', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 5 });
  const mallory = await guild.join();
  await guild.known();
  await guild.settled();
  await silence(guild);
  await answerWith(guild, 403, { message: 'Missing Permissions', code: 50013 });
  for (const id of guild.channelIds) await guild.deleteChannel(mallory, id);
  expect(await anIncident(guild)).toMatchObject({ executors: [], objectsLost: 5 });
  await alertOfIncident(guild);
  const { body } = await guild.owner.call('GET', `/api/v1/servers/${guild.serverId}/incidents`);
  const repair = await guild.owner.call('POST', `/api/v1/incidents/${body.data[0].id}/repair`);
  // It is offered: what is missing is a backup.
  expect([repair.status, repair.body.error]).toEqual([
    409,
    expect.stringContaining('no good backup'),
  ]);
});

test('what the log explains as honest work, in the end, is no incident', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 8 });
  const people = [await guild.join(), await guild.join(), await guild.join()];
  await guild.known();
  await guild.settled();
  await silence(guild);
  // Whatever else looks at the guild finds nothing either, until all is seen to be gone.
  await answerWith(guild, 200, { audit_log_entries: [] });
  for (const [index, person] of people.entries()) {
    await guild.deleteChannel(person, guild.channelIds[index] ?? '');
  }
  await lost(guild, 3);
  await fixture.simulator.control('DELETE', '/faults');
  const jobs = await asked(guild, 1);
  expect(jobs).toEqual(['0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

const pausedUntil = async (guild: ProtectedGuild) =>
  (await guild.now()).guild.incidents_data?.invites_disabled_until ?? null;

test('an incident that the log explains as honest work later ends by itself, and the owner is told what it was', async () => {
  const guild = await newProtectedGuild(fixture, { channels: 8 });
  const people = [await guild.join(), await guild.join(), await guild.join()];
  await guild.known();
  await guild.settled();
  await silence(guild);
  await answerWith(guild, 200, { audit_log_entries: [] });
  for (const [index, person] of people.entries()) {
    await guild.deleteChannel(person, guild.channelIds[index] ?? '');
  }
  const { id } = await anIncident(guild);
  await alertOfIncident(guild);
  expect(await pausedUntil(guild)).toEqual(expect.any(String));

  await fixture.simulator.control('DELETE', '/faults');
  await asked(guild, 1);
  await hurry(guild);
  await eventually(20_000, async () =>
    expect(await guild.incidents()).toMatchObject([
      { id, status: 'dismissed', executors: [], acts: { total: 0 }, endedAt: expect.any(String) },
    ]),
  );
  expect(await alertOfIncident(guild)).toMatchObject({
    title: expect.stringContaining('was not attacked'),
    detail: expect.stringMatching(/audit log told late.*no attack.*invites/i),
  });
  const { body } = await guild.owner.call('GET', '/api/v1/audit');
  expect(body.data).toContainEqual(
    expect.objectContaining({
      ...{ action: 'incident.dismiss', actor: expect.objectContaining({ type: 'SYSTEM' }) },
      changes: { serverId: guild.serverId, reason: 'explained' },
    }),
  );
  await eventually(20_000, async () => expect(await pausedUntil(guild)).toBeNull());
  for (const person of people) expect(await guild.rolesOf(person)).toContain(guild.mod);
});

/** Its owner deletes three channels, of which the gateway does not tell who did it. */
const clearedByOwner = async (...[status, body, times]: [number, object, number?]) => {
  const guild = await newProtectedGuild(fixture, { channels: 8 });
  await guild.known();
  await guild.settled();
  await silence(guild);
  await answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds.slice(0, 3)) await guild.deleteChannel(guild.ownerId, id);
  await lost(guild, 3);
  await fixture.simulator.control('DELETE', '/faults');
  await answerWith(guild, status, body, times);
  return guild;
};

test('a log that fails once is asked again before there is an incident', async () => {
  const guild = await clearedByOwner(502, {}, 1);
  expect(await asked(guild, 2)).toEqual(['0 completed', '0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

test('a log that goes on failing tells nothing: there is an incident', async () => {
  const guild = await clearedByOwner(502, {});
  expect(await anIncident(guild)).toMatchObject({ executors: [], objectsLost: 3 });
  await fixture.simulator.control('DELETE', '/faults');
});

test('what is explained at the very moment when an incident would be opened is none', async () => {
  const guild = await clearedByOwner(200, { audit_log_entries: [] });
  const { db } = fixture.service;
  await db.transaction(async (tx) => {
    await tx.delete(guildActs).where(eq(guildActs.serverId, guild.serverId));
    // The job has listed what is gone, or waits for it.
    await eventually(20_000, async () => {
      const waiting = await db.$client`select 1 from pg_locks where not granted`;
      expect(waiting.length).toBeGreaterThan(0);
    });
  });
  await asked(guild, 1);
  expect(await guild.incidents()).toEqual([]);
  await fixture.simulator.control('DELETE', '/faults');
});

test('fewer deletions than the owner chose are asked about by nobody', async () => {
  const thresholds = { channelDeletes: { count: 5, perSeconds: 30 } };
  const guild = await newProtectedGuild(fixture, { channels: 8, settings: { thresholds } });
  const ann = await guild.join();
  await guild.known();
  await guild.settled();
  await silence(guild);
  await answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds.slice(0, 4)) await guild.deleteChannel(ann, id);
  await lost(guild, 4);
  expect(await queued(guild)).toEqual([]);
});
