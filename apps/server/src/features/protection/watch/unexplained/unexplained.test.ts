import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../../test/harness/protected-guild.ts';

setDefaultTimeout(120_000);

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'protection.explain-losses'],
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
const answerWith = ({ guildId }: ProtectedGuild, status: number, body: object) =>
  fixture.simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/audit-logs', guildId },
    ...{ times: 1000, when: 'before', action: 'status', status, body },
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
