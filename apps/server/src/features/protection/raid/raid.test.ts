import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { insertMembers } from '../../../../test/harness/members.ts';
import {
  decideAtOnce,
  storeIncident,
  storeNewcomer,
  storeWave,
} from '../../../../test/harness/protection.ts';
import {
  accountOfAge,
  type Comer,
  honest,
  type RaidFixture,
  type RaidServer,
  raider,
  startRaidFixture,
} from '../../../../test/harness/raids.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { storeRefusedGuild } from '../../bots/refused-guilds/queries.ts';

let fixture: RaidFixture;
beforeAll(async () => {
  fixture = await startRaidFixture();
});
afterAll(() => fixture.stop());

const some = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** A wave that just opened; its people are in the guild. */
const raid = async (server: RaidServer, people: Comer[]): Promise<string> => {
  const { guild, ...rest } = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
  const members = people.map(({ id, username, roles = [] }) => ({ user: { id, username }, roles }));
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, {
    ...{ ...rest, guild },
    members: [...rest.members, ...members],
  });
  await fixture.join(server, people);
  const [incident] = await fixture.incidentsOf(server);
  await fixture.contained(server, incident.id);
  return incident.id;
};

test('so many young accounts in so short a time are a raid; others do not count', async () => {
  const server = await fixture.newServer();
  const { owner, serverId } = server;
  const verified = accountOfAge(1);
  await insertMembers(fixture.db, { owner, serverId }, { platformId: verified });
  const nineteen = some(19, raider);
  await fixture.join(server, nineteen);
  const bot = { ...fixture.joinOf(server, raider(20)), isBot: true };
  await fixture.report(server, [bot]);
  await fixture.join(server, [{ id: verified, username: 'raider_1' }, ...some(30, honest)]);
  // Joining again is no second join, and those of a while ago are over.
  await fixture.join(server, nineteen.slice(0, 5));
  await fixture.join(server, some(5, raider), 60_000);
  expect(await fixture.incidentsOf(server)).toEqual([]);

  await fixture.join(server, [raider(19)]);
  const [incident] = await fixture.incidentsOf(server);
  expect(incident).toMatchObject({ kind: 'RAID', executors: [], objectsLost: 0 });
  const wave = await fixture.waveOf(server, incident.id);
  expect(wave).toMatchObject({ joins: 20, newcomers: 50, overAt: null, decision: null });
  expect(wave.counts).toMatchObject({ held: 20, seen: 30 });
  // Nor does anybody count twice who comes back during the wave.
  await fixture.join(server, [...nineteen.slice(0, 5), raider(20)]);
  const later = await fixture.waveOf(server, incident.id);
  expect(later).toMatchObject({ joins: 21, newcomers: 51, counts: { held: 21, seen: 30 } });

  const off = await fixture.newServer({ antiRaidEnabled: false, raid: { joins: 2 } });
  await fixture.join(off, some(30, raider));
  expect(await fixture.incidentsOf(off)).toEqual([]);
  const rows = await fixture.db
    .$client`select 1 from raid_newcomers where server_id = ${off.serverId}`;
  expect(rows).toHaveLength(0);
});

const refusedJustNow = ({ owner: { accountId }, botId, guildId }: RaidServer) =>
  storeRefusedGuild(fixture.db, { accountId, botId, guildId, kind: 'noAccess', callerId: null });

test('a raid pauses invites also where the platform has just refused the server to the bot', async () => {
  const server = await fixture.newServer();
  await refusedJustNow(server);
  await raid(server, some(20, raider));
  expect(await fixture.pausedUntil(server)).not.toBeNull();
});

test('a raid pauses invites, raises checks and holds newcomers until it is over; settings stay as they are', async () => {
  const server = await fixture.newServer();
  const { owner, serverId } = server;
  const settings = async () => (await owner.call('GET', `/api/v1/servers/${serverId}`)).body.data;
  const before = await settings();
  const id = await raid(server, some(20, raider));
  expect(await fixture.pausedUntil(server)).not.toBeNull();
  expect(await fixture.areRaised(server)).toBe(true);
  const done = (kind: string) => ({ kind, status: 'done' });
  const begun = [done('RAISE_CHECKS'), done('HOLD_NEWCOMERS'), done('PAUSE_INVITES')];
  expect(await fixture.stepsOf(id)).toEqual(begun);
  const alerts = (await owner.call('GET', '/api/v1/alerts')).body.data;
  expect(alerts.filter(({ kind }: { kind: string }) => kind === 'INCIDENT')).toHaveLength(1);

  // Older accounts are held only for what they have in common with the wave.
  const likeThem = { id: accountOfAge(400), username: 'Raider.77', hasPicture: false };
  const withPicture = { id: accountOfAge(400), username: 'raider_9' };
  await fixture.join(server, [likeThem, withPicture, ...some(10, honest)]);
  const others = await fixture.newcomersOf(server, id, 'isHeld=false');
  expect(others).toHaveLength(11);
  expect(others.map((one: { id: string }) => one.id)).toContain(withPicture.id);
  const person = { accountId: owner.accountId, serverId };
  const { isHeld } = (await import('../feature.ts')).protection;
  expect(await isHeld(fixture.db, { ...person, platformId: likeThem.id })).toBe(true);
  expect(await isHeld(fixture.db, { ...person, platformId: withPicture.id })).toBe(false);

  await fixture.quiet(id, 4);
  expect(await fixture.areRaised(server)).toBe(true);
  await fixture.quiet(id, 6);
  expect(await fixture.areRaised(server)).toBe(false);
  await eventually(20_000, async () => {
    expect(await fixture.pausedUntil(server)).toBeNull();
    expect(await fixture.stepsOf(id)).toEqual([
      ...begun,
      done('LOWER_CHECKS'),
      done('RESUME_INVITES'),
    ]);
  });
  const { updatedAt: _, ...after } = await settings();
  expect(before).toMatchObject(after);
  expect((await fixture.incidentsOf(server))[0].status).toBe('contained');
  expect(await isHeld(fixture.db, { ...person, platformId: likeThem.id })).toBe(true);
  // The next wave is another incident.
  await fixture.join(server, some(20, raider));
  expect(await fixture.incidentsOf(server)).toHaveLength(2);
});

test('invites stay paused while another incident of the server needs it', async () => {
  const server = await fixture.newServer();
  const id = await raid(server, some(20, raider));
  const { guildId } = server;
  const incident = { guildId, invitesPausedUntil: new Date(Date.now() + 3_600_000) };
  await storeIncident(server.owner, server.serverId, { incident });
  await fixture.quiet(id, 6);
  await fixture.stepEnded(id, 'RESUME_INVITES');
  expect(await fixture.pausedUntil(server)).not.toBeNull();
});

test('a server that gets another guild during a wave is watched there', async () => {
  const server = await fixture.newServer();
  await raid(server, some(20, raider));
  const guildId = randomPlatformId();
  const body = { platformGuildId: guildId };
  const changed = await server.owner.call('PUT', `/api/v1/servers/${server.serverId}`, { body });
  expect(changed.status).toBe(200);
  await fixture.join({ ...server, guildId }, some(20, raider));
  expect(await fixture.incidentsOf(server)).toHaveLength(2);
});

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);

test.each<[string, Date | null, Date | null | undefined, Date | null]>([
  ['before', inHours(2), undefined, inHours(2)],
  ['for longer than a raid pauses them', inHours(23.99), undefined, inHours(23.99)],
  ['meanwhile', null, inHours(3), inHours(3)],
  ['before, and resumed them meanwhile', inHours(2), null, null],
])(
  'invites that the owner paused %s stay as the owner had them',
  async (_, before, meanwhile, after) => {
    const server = await fixture.newServer();
    await fixture.pauseAsOwner(server, before);
    const id = await raid(server, some(20, raider));
    const paused = Date.parse((await fixture.pausedUntil(server)) ?? '');
    expect(paused).toBeGreaterThan(inHours(23).getTime());
    if (meanwhile !== undefined) await fixture.pauseAsOwner(server, meanwhile);
    await fixture.quiet(id, 6);
    await fixture.stepEnded(id, 'RESUME_INVITES');
    const left = await fixture.pausedUntil(server);
    expect(left && Math.round(Date.parse(left) / 10_000)).toBe(
      after && Math.round(after.getTime() / 10_000),
    );
  },
);

const decide = ({ dashboard }: RaidServer, id: string, decision: string) =>
  dashboard.call('POST', `/incidents/${id}/wave/decision`, { decision });

const membersIn = async ({ guildId }: RaidServer): Promise<string[]> => {
  const { members } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  return members.map(({ user }: { user: { id: string } }) => user.id);
};

const ended = (server: RaidServer, status: string) =>
  eventually(30_000, async () => {
    const [incident] = await fixture.incidentsOf(server);
    expect(incident.status).toBe(status);
  });

test.each(['KICK', 'BAN'] as const)(
  '%s removes those who are held, but nobody the server knows',
  async (decision) => {
    const server = await fixture.newServer();
    const { owner, serverId, guildId } = server;
    const { roles } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
    const role = roles.find(({ name }: { name: string }) => name === 'Member').id;
    const people = some(24, raider);
    const [verified, trusted, given, left] = people;
    if (!verified || !trusted || !given || !left) throw new Error('Nobody');
    given.roles = [role];
    const id = await raid(server, people);
    const bystander = honest(1);
    await fixture.join(server, [bystander]);
    await insertMembers(fixture.db, { owner, serverId }, { platformId: verified.id });
    await fixture.db.$client`insert into protection_settings (server_id, account_id, trusted)
    values (${serverId}, ${owner.accountId}, ${[{ platformId: trusted.id, note: '' }]}::jsonb)
    on conflict (server_id) do update set trusted = excluded.trusted`;
    await fixture.simulator.control('PUT', `/users/${left.id}`, { guildIds: [] });

    const { status, body } = await decide(server, id, decision);
    expect([status, body.data.decision]).toEqual([202, decision]);
    expect((await decide(server, id, 'KEEP')).status).toBe(409);
    expect((await decideAtOnce(fixture.service, owner, id, 'dismiss')).status).toBe(409);
    await fixture.quiet(id, 6);
    await ended(server, 'repaired');
    const absent = decision === 'KICK' ? { kicked: 20, gone: 1 } : { banned: 21, gone: 0 };
    const { counts } = await fixture.waveOf(server, id);
    expect(counts).toMatchObject({
      ...absent,
      spared: 3,
      held: 0,
      removing: 0,
      failed: 0,
      seen: 1,
    });
    const listed = await fixture.newcomersOf(server, id);
    const codeOf = new Map(listed.map((one: { id: string; code: string }) => [one.id, one.code]));
    expect([verified, trusted, given].map((one) => codeOf.get(one.id))).toEqual(
      expect.arrayContaining(['VERIFIED', 'TRUSTED', 'HAS_ROLES']),
    );
    const present = await membersIn(server);
    const raidersLeft = people.filter((one) => present.includes(one.id));
    expect(raidersLeft.map((one) => one.id).sort()).toEqual(
      [verified.id, trusted.id, given.id].sort(),
    );
    const audit = (await owner.call('GET', '/api/v1/audit?limit=50')).body.data;
    const actions = audit.map(({ action }: { action: string }) => action);
    for (const action of ['incident.open', 'incident.review', 'incident.end_review']) {
      expect(actions).toContain(action);
    }
  },
);

test('to keep them, or to dismiss the incident, ends the wave at once and releases everybody', async () => {
  for (const how of ['KEEP', 'dismiss']) {
    const server = await fixture.newServer();
    const id = await raid(server, some(20, raider));
    const reply =
      how === 'KEEP'
        ? await decide(server, id, 'KEEP')
        : await decideAtOnce(fixture.service, server.owner, id, 'dismiss');
    expect(reply.status).toBe(202);
    expect(await fixture.areRaised(server)).toBe(false);
    await ended(server, 'dismissed');
    await eventually(20_000, async () => {
      expect((await fixture.waveOf(server, id)).counts).toMatchObject({ kept: 20, held: 0 });
      expect(await fixture.pausedUntil(server)).toBeNull();
    });
    expect((await decide(server, id, 'BAN')).status).toBe(409);
  }
});

test('those who wait for the decision are listed before those who are spared', async () => {
  const server = await fixture.newServer();
  const { serverId } = server;
  const owner = { db: fixture.db, accountId: server.owner.accountId };
  const incidentId = await storeWave(owner, serverId);
  const spared = { score: 100, status: 'spared', code: 'VERIFIED' } as const;
  await storeNewcomer(owner, { serverId, incidentId, ...spared });
  await storeNewcomer(owner, { serverId, incidentId, score: 40 });
  await storeNewcomer(owner, { serverId, incidentId, score: 70 });
  const listed = await fixture.newcomersOf(server, incidentId);
  expect(listed.map(({ score }: { score: number }) => score)).toEqual([70, 40, 100]);
});

test('a wave is reviewed by its owner alone, and only in the dashboard', async () => {
  const server = await fixture.newServer();
  const id = await raid(server, some(20, raider));
  const stranger = await fixture.newServer();
  for (const path of [`/incidents/${id}/wave`, `/incidents/${id}/newcomers`]) {
    expect((await stranger.dashboard.call('GET', path)).status).toBe(404);
    expect((await server.owner.call('GET', `/api/v1${path}`)).status).toBe(404);
  }
  expect((await decide(stranger, id, 'BAN')).status).toBe(404);
  expect((await decide(server, id, 'BURN')).status).toBe(400);
  const nuke = await storeIncident(server.owner, server.serverId);
  expect((await decide(server, nuke.id, 'BAN')).status).toBe(404);
});
