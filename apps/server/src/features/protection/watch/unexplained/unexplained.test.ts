import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';
import { silentLogOf } from '../../../../../test/harness/silent-log.ts';
import { storeRefusedGuild } from '../../../bots/refused-guilds/queries.ts';
import { guildActs } from '../../table.ts';

let fixture: GatewayFixture;
let log: ReturnType<typeof silentLogOf>;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: [
      ...['protection.contain', 'protection.resume-invites'],
      ...['protection.look-at-guild', 'protection.explain-losses'],
    ],
  });
  fixture.startHolding();
  log = silentLogOf(fixture);
});
afterAll(() => fixture.stop());

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
  await log.silence(guild);
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds) await guild.deleteChannel(mallory, id);
  expect(await log.anIncident(guild)).toMatchObject({
    ...{ kind: 'NUKE', status: 'open', executors: [], objectsLost: 12 },
    acts: { total: 12, byKind: { channelDeletes: 12 } },
  });
  expect(await alertOfIncident(guild)).toMatchObject({
    detail: expect.stringContaining('Who did it is not known'),
  });
  expect((await guild.incidents())[0].status).toBe('open');

  await fixture.simulator.control('DELETE', '/faults');
  await log.asked(guild, 1);
  await log.hurry(guild);
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
  await log.silence(guild);
  await log.answerWith(guild, 403, { message: 'Missing Permissions', code: 50013 });
  for (const id of guild.channelIds) await guild.deleteChannel(mallory, id);
  expect(await log.anIncident(guild)).toMatchObject({ executors: [], objectsLost: 5 });
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
  await log.silence(guild);
  // Whatever else looks at the guild finds nothing either, until all is seen to be gone.
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const [index, person] of people.entries()) {
    await guild.deleteChannel(person, guild.channelIds[index] ?? '');
  }
  await log.lost(guild, 3);
  await fixture.simulator.control('DELETE', '/faults');
  const jobs = await log.asked(guild, 1);
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
  await log.silence(guild);
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const [index, person] of people.entries()) {
    await guild.deleteChannel(person, guild.channelIds[index] ?? '');
  }
  const { id } = await log.anIncident(guild);
  await alertOfIncident(guild);
  expect(await pausedUntil(guild)).toEqual(expect.any(String));

  await fixture.simulator.control('DELETE', '/faults');
  await log.asked(guild, 1);
  await log.hurry(guild);
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
  await log.silence(guild);
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds.slice(0, 3)) await guild.deleteChannel(guild.ownerId, id);
  await log.lost(guild, 3);
  await fixture.simulator.control('DELETE', '/faults');
  await log.answerWith(guild, status, body, times);
  return guild;
};

test('a log that fails once is asked again before there is an incident, whatever was refused before', async () => {
  const guild = await clearedByOwner(502, {}, 1);
  const { bot, guildId, owner } = guild;
  const asked = { accountId: owner.accountId, botId: bot.id, guildId };
  await storeRefusedGuild(fixture.service.db, { ...asked, kind: 'noAccess', callerId: null });
  expect(await log.asked(guild, 2)).toEqual(['0 completed', '0 completed']);
  expect(await guild.incidents()).toEqual([]);
});

test('a log that stays silent is asked each minute, for a quarter of an hour', async () => {
  const guild = await clearedByOwner(200, { audit_log_entries: [] });
  await log.anIncident(guild);
  const ended = ['0 completed'];
  // Of the fifteen rounds the first two, and the last.
  for (const round of [1, 14]) {
    await eventually(20_000, async () => {
      expect(await log.queued(guild)).toEqual([...ended, expect.stringMatching(/ created$/)]);
      expect(await log.dueIn(guild)).toBeWithin(30, 61);
    });
    await fixture.simulator.control('DELETE', '/log');
    await log.hurry(guild, round);
    await log.asked(guild, ended.length + 1);
    const calls: { route: string | null }[] = await fixture.simulator.control('GET', '/log');
    expect(calls.some(({ route }) => route === '/guilds/:id/audit-logs')).toBe(true);
    ended.push(`${round} completed`);
  }
  expect(await log.queued(guild)).toEqual(ended);
});

test('a log that goes on failing tells nothing: there is an incident', async () => {
  const guild = await clearedByOwner(502, {});
  expect(await log.anIncident(guild)).toMatchObject({ executors: [], objectsLost: 3 });
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
  await log.asked(guild, 1);
  expect(await guild.incidents()).toEqual([]);
  await fixture.simulator.control('DELETE', '/faults');
});

test('fewer deletions than the owner chose are asked about by nobody', async () => {
  const thresholds = { channelDeletes: { count: 5, perSeconds: 30 } };
  const guild = await newProtectedGuild(fixture, { channels: 8, settings: { thresholds } });
  const ann = await guild.join();
  await guild.known();
  await guild.settled();
  await log.silence(guild);
  await log.answerWith(guild, 200, { audit_log_entries: [] });
  for (const id of guild.channelIds.slice(0, 4)) await guild.deleteChannel(ann, id);
  await log.lost(guild, 4);
  expect(await log.queued(guild)).toEqual([]);
});
