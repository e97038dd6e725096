import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { type GatewayFixture, startGatewayFixture } from '../../../../test/harness/gateway.ts';
import {
  newProtectedGuild,
  type ProtectedGuild,
} from '../../../../test/harness/protected-guild.ts';
import { decideAtOnce, storeGoodBackup } from '../../../../test/harness/protection.ts';
import { openIncident } from '../queries/containment.ts';

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await startGatewayFixture({
    doesWork: ['protection.contain', 'protection.look-at-guild', 'protection.resume-invites'],
  });
  fixture.startHolding();
});
afterAll(() => fixture.stop());

const settings = { thresholds: { channelDeletes: { count: 1, perSeconds: 30 } } };
/** Of somebody who is trusted, and of the owner, this many are an attack. */
const ownersAttack = 5;

/** A guild whose owner has attacked it, whom nobody can stop. */
const attackByOwner = async (bot?: ProtectedGuild['bot']) => {
  const guild = await newProtectedGuild(fixture, { settings, bot });
  await guild.known();
  for (const id of guild.channelIds.slice(0, ownersAttack)) {
    await guild.deleteChannel(guild.ownerId, id);
  }
  const incident = await guild.notStopped();
  expect(incident.executors).toMatchObject([{ notStopped: { code: 'OWNER' } }]);
  return { guild, incident };
};

/** As if the incident had been noticed so many hours ago. */
const letPass = async ({ serverId }: ProtectedGuild, hours: number) => {
  await fixture.service.db.$client`
    update incidents set created_at = created_at - make_interval(hours => ${hours}),
      first_act_at = first_act_at - make_interval(hours => ${hours}),
      detected_at = detected_at - make_interval(hours => ${hours}),
      invites_paused_until = invites_paused_until - make_interval(hours => ${hours})
    where server_id = ${serverId}`;
  await fixture.service.db.$client`
    update guild_acts set at = at - make_interval(hours => ${hours}) where server_id = ${serverId}`;
};

/** The newest incident, once it is contained, and the older ones. */
const contained = ({ incidents }: Pick<ProtectedGuild, 'incidents'>) =>
  eventually(15_000, async () => {
    const [newest, ...older] = await incidents();
    if (newest?.status !== 'contained') throw new Error(`Not contained: ${JSON.stringify(newest)}`);
    return { newest, older };
  });

const stepsOf = async (incidentId: string): Promise<string[]> => {
  const rows = await fixture.service.db.$client`
    select kind from incident_steps where incident_id = ${incidentId}`;
  return rows.map(({ kind }: { kind: string }) => kind);
};

const alertsAbout = async ({ owner }: ProtectedGuild, incidentId: string) => {
  const { body } = await owner.call('GET', '/api/v1/alerts');
  return body.data.filter(({ href }: { href: string }) => href.endsWith(incidentId));
};

test('an attack weeks after one that was never contained is an incident of its own', async () => {
  const { guild, incident } = await attackByOwner();
  const mallory = await guild.join();
  await letPass(guild, 40 * 24);
  const { db } = fixture.service;
  await storeGoodBackup({ db, accountId: guild.owner.accountId }, guild.serverId);
  await guild.deleteChannel(mallory, guild.channelIds[ownersAttack] ?? '');

  const { newest, older } = await contained(guild);
  expect(newest.executors).toMatchObject([{ platformId: mallory, notStopped: null }]);
  expect(newest.backupId).toEqual(expect.any(String));
  expect(await stepsOf(newest.id)).toContainValues(['PAUSE_INVITES', 'SNAPSHOT', 'ALERT']);
  expect(await alertsAbout(guild, newest.id)).toHaveLength(1);
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  // The one before stays what it was.
  expect(older).toMatchObject([
    { id: incident.id, status: 'open', executors: [{ notStopped: { code: 'OWNER' } }] },
  ]);
  expect((await guild.owner.call('POST', `/api/v1/incidents/${newest.id}/repair`)).status).toBe(
    202,
  );
});

test('what somebody who was not stopped does days later is judged anew', async () => {
  const { guild, incident } = await attackByOwner();
  await letPass(guild, 48);
  const left = guild.channelIds.slice(ownersAttack);
  await guild.deleteChannel(guild.ownerId, left[0] ?? '');
  await guild.settled();
  expect(await guild.incidents()).toMatchObject([
    { id: incident.id, acts: { byKind: { channelDeletes: ownersAttack } } },
  ]);
  for (const id of left.slice(1, ownersAttack)) await guild.deleteChannel(guild.ownerId, id);
  await eventually(15_000, async () => {
    const [newest, ...older] = await guild.incidents();
    expect(newest).toMatchObject({
      status: 'open',
      executors: [{ platformId: guild.ownerId, notStopped: { code: 'OWNER' } }],
      acts: { byKind: { channelDeletes: ownersAttack } },
    });
    expect(older).toMatchObject([
      { id: incident.id, status: 'open', acts: { byKind: { channelDeletes: ownersAttack } } },
    ]);
  });
});

test('an attack in the guild that a server was moved to is no part of one in the guild before', async () => {
  const { guild: before, incident } = await attackByOwner();
  const guild = await newProtectedGuild(fixture, { settings, bot: before.bot });
  const mallory = await guild.join();
  const { owner, serverId } = before;
  await owner.call('DELETE', `/api/v1/servers/${guild.serverId}`);
  const body = { platformGuildId: guild.guildId };
  expect((await owner.call('PUT', `/api/v1/servers/${serverId}`, { body })).status).toBe(200);
  await eventually(15_000, async () => {
    const [row] = await fixture.service.db.$client`
      select owner_id from watched_guilds where server_id = ${serverId} and guild_id = ${guild.guildId}`;
    expect(row?.owner_id).toBe(guild.ownerId);
  });
  await guild.deleteChannel(mallory, guild.channelIds[0] ?? '');

  const { newest, older } = await contained(before);
  expect(newest.executors).toMatchObject([{ platformId: mallory, notStopped: null }]);
  expect(await alertsAbout(before, newest.id)).toHaveLength(1);
  expect(await guild.rolesOf(mallory)).toEqual([guild.pink]);
  expect(older).toMatchObject([
    { id: incident.id, status: 'open', executors: [{ notStopped: { code: 'OWNER' } }] },
  ]);

  // Invites are paused in the guild before until that one ends, and in this one no longer.
  const pausedUntil = async (one: ProtectedGuild) =>
    (await one.now()).guild.incidents_data?.invites_disabled_until ?? null;
  expect(await pausedUntil(guild)).toEqual(expect.any(String));
  await decideAtOnce(fixture.service, owner, newest.id, 'dismiss');
  await eventually(15_000, async () => expect(await pausedUntil(guild)).toBeNull());
  expect(await pausedUntil(before)).toEqual(expect.any(String));
});

test('whoever was not stopped then is stopped as soon as that is possible, beside a later attack', async () => {
  const guild = await newProtectedGuild(fixture, { settings });
  const move = (position: number) =>
    guild.call(guild.ownerId, 'PATCH', `/guilds/${guild.guildId}/roles`, [
      { id: guild.chief, position },
    ]);
  await move(1000);
  const high = await guild.join([guild.chief]);
  await guild.deleteChannel(high, guild.channelIds[0] ?? '');
  const { id } = await guild.notStopped();
  await letPass(guild, 48);
  const mallory = await guild.join();
  await guild.deleteChannel(mallory, guild.channelIds[1] ?? '');
  await contained(guild);
  await move(1);
  await eventually(15_000, async () => {
    const [, old] = await guild.incidents();
    expect(old).toMatchObject({
      ...{ id, status: 'contained', containedAfterMs: expect.any(Number) },
      executors: [{ platformId: high, notStopped: null }],
    });
  });
  expect(await guild.rolesOf(high)).toEqual([]);
});

test('of many that notice a later attack at the same moment one opens its incident', async () => {
  const { guild } = await attackByOwner();
  await letPass(guild, 48);
  const { serverId, guildId, owner } = guild;
  const trigger = { kind: 'channelDeletes', executorId: null };
  const at = new Date();
  const given = { accountId: owner.accountId, serverId, guildId, trigger };
  const opened = await Promise.all(
    Array.from({ length: 10 }, () =>
      fixture.service.db.transaction((tx) =>
        openIncident(tx, { ...given, firstActAt: at, detectedAt: at }),
      ),
    ),
  );
  expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(opened.map(({ incidentId }) => incidentId)).size).toBe(1);
  expect((await guild.incidents()).map(({ status }: { status: string }) => status)).toEqual([
    ...['open', 'open'],
  ]);
});
