import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  noResults,
  type PulledMember,
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../../../test/harness/pulls/fixture.ts';
import { newId } from '../../../kernel/ids.ts';
import { erasePerson } from '../../me/erase/erase-person.ts';
import { restoredIds } from '../../servers/table.ts';

let fixture: PullFixture;
let backups: ReturnType<typeof createBackupFixture>;
beforeAll(async () => {
  fixture = await startPullFixture({ pullPauses: { rereadRolesAfterMs: 500 } });
  backups = createBackupFixture(fixture.service, fixture.simulator);
}, 60_000);
afterAll(() => fixture.stop());

const kick = 1n << 1n;
const manageMessages = 1n << 13n;

const crew = { id: '7001', name: 'Crew', permissions: '0' };
const artist = { id: '7002', name: 'Artist', permissions: '1024' };
const mate = { id: '7003', name: 'Mate', permissions: String(kick) };
const helper = { id: '7004', name: 'Helper', permissions: '0' };
const boosters = { id: '7005', name: 'Boosters', permissions: '0', managed: true };
const roles = [crew, artist, mate, helper, boosters];
/** The helper moderates one channel. */
const channels = [
  {
    id: '7101',
    name: 'deck',
    permission_overwrites: [{ id: helper.id, type: 0, allow: String(manageMessages), deny: '0' }],
  },
];

type Held = { nick?: string | null; roles?: string[] };
type SimulatedMember = Held & { user: { id: string }; joined_at?: string };

const setGuild = ({ guildId }: PullServer, guild: object) =>
  fixture.simulator.control('PUT', `/guilds/${guildId}`, { roles, channels, ...guild });

const memberOf = ({ platformId }: PulledMember, held: Held = {}) => ({
  user: { id: platformId },
  nick: held.nick ?? null,
  roles: held.roles ?? [],
  joined_at: '2020-01-01T00:00:00.000Z',
});

/** Backs the guild up with these members in it, who are gone afterwards. */
const backUp = async (server: PullServer, members: SimulatedMember[], guild: object = {}) => {
  await setGuild(server, { members, ...guild });
  const backup = await backups.takeBackup({ ...server, tenant: server.owner });
  expect(backup.status).toBe('completed');
  await setGuild(server, {});
  return backup;
};

const heldIn = async ({ guildId }: PullServer, { platformId }: PulledMember) => {
  const { members } = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const found = members.find(({ user }: SimulatedMember) => user.id === platformId);
  return found && { nick: found.nick, roles: found.roles.toSorted() };
};

const callsAbout = async ({ guildId }: PullServer, { platformId }: PulledMember) =>
  (await fixture.log())
    .filter(({ path }) => path.includes(`/guilds/${guildId}/members/${platformId}`))
    .map(({ method, status }) => `${method} ${status}`);

describe('members come back', () => {
  test('with the roles and the nickname of the backup, by the one call that adds them', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'both', 'roleOnly', 'nickOnly', 'plain', 'new');
    const backup = await backUp(server, [
      memberOf(people.both, { nick: 'Bosun', roles: [crew.id, artist.id, boosters.id] }),
      memberOf(people.roleOnly, { roles: [crew.id] }),
      memberOf(people.nickOnly, { nick: 'Gull' }),
      memberOf(people.plain),
    ]);
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({
      ...{ status: 'completed', restoreRoles: true, rolesFromBackupId: backup.id, warnings: [] },
      results: { ...noResults, joined: 5 },
    });
    expect(await heldIn(server, people.both)).toEqual({
      nick: 'Bosun',
      roles: [crew.id, artist.id],
    });
    expect(await heldIn(server, people.roleOnly)).toEqual({ nick: null, roles: [crew.id] });
    expect(await heldIn(server, people.nickOnly)).toEqual({ nick: 'Gull', roles: [] });
    expect(await heldIn(server, people.plain)).toEqual({ nick: null, roles: [] });
    for (const person of Object.values(people)) {
      expect(await callsAbout(server, person)).toEqual(['PUT 201']);
    }
    expect(
      await fixture.db.$client`select 1 from pull_member_roles where pull_id = ${pull.id}`,
    ).toHaveLength(0);
  });

  test('with the pull’s own role besides', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, { roles: [crew.id] })]);
    await fixture.pull(server, { roleId: artist.id });
    expect((await heldIn(server, person))?.roles).toEqual([crew.id, artist.id]);
  });

  test('with the roles that a restore made of them, into whichever server of the owner', async () => {
    const server = await fixture.newServer();
    const target = await fixture.newServer({}, server.owner);
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, { roles: [crew.id, mate.id] })]);
    const [renamed, strong] = [
      { ...crew, id: '8001', name: 'Sailors' },
      { ...mate, id: '8002' },
    ];
    await setGuild(target, { roles: [renamed, strong] });
    const given = { accountId: server.owner.accountId, sort: 'roles' as const, isCreated: true };
    const place = { serverId: target.serverId, guildId: target.guildId, restoreId: newId() };
    await fixture.db.insert(restoredIds).values([
      { ...given, ...place, oldId: crew.id, newId: renamed.id },
      { ...given, ...place, oldId: mate.id, newId: strong.id },
    ]);
    await fixture.pull(server, {
      targetServerId: target.serverId,
      allowDangerousRoles: [mate.id],
    });
    expect((await heldIn(target, person))?.roles).toEqual([renamed.id, strong.id]);
  });

  test('without them where the owner does not want that, or no good backup has any', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    expect((await fixture.pull(server)).rolesFromBackupId).toBeNull();
    await backUp(server, [memberOf(person, { nick: 'Bosun', roles: [crew.id] })]);
    const pull = await fixture.pull(server, { restoreRoles: false });
    expect(pull).toMatchObject({ restoreRoles: false, rolesFromBackupId: null });
    expect(await heldIn(server, person)).toEqual({ nick: null, roles: [] });
  });

  test('as in the newest backup that is neither suspicious, nor taken before a restore, nor without members', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const good = await backUp(server, [memberOf(person, { roles: [crew.id] })]);
    const later = [memberOf(person, { roles: [artist.id] })];
    const suspicious = await backUp(server, later);
    const safety = await backUp(server, later);
    await fixture.db.$client`update backups set suspicious = true where id = ${suspicious.id}`;
    await fixture.db.$client`update backups set kind = 'PRE_RESTORE' where id = ${safety.id}`;
    const components = ['settings', 'roles', 'channels'];
    await backups.takeBackup({ ...server, tenant: server.owner }, { components });
    expect((await fixture.pull(server)).rolesFromBackupId).toBe(good.id);
    expect((await heldIn(server, person))?.roles).toEqual([crew.id]);
  });
});

describe('members who are there already', () => {
  test('get what they lack by one edit, and lose nothing', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'lacking', 'renamed', 'complete', 'unknown');
    const { lacking, renamed, complete, unknown } = people;
    const held = { nick: 'Bosun', roles: [crew.id] };
    await backUp(server, [
      memberOf(lacking, held),
      memberOf(renamed, held),
      memberOf(complete, held),
    ]);
    await setGuild(server, {
      members: [
        memberOf(lacking, { roles: [artist.id, boosters.id] }),
        memberOf(renamed, { nick: 'Captain', roles: [crew.id] }),
        memberOf(complete, { nick: 'Bosun', roles: [crew.id, mate.id] }),
        memberOf(unknown),
      ],
    });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ results: { ...noResults, alreadyMember: 4 }, warnings: [] });
    expect(await heldIn(server, lacking)).toEqual({
      nick: 'Bosun',
      roles: [crew.id, artist.id, boosters.id],
    });
    expect(await heldIn(server, renamed)).toEqual({ nick: 'Captain', roles: [crew.id] });
    expect(await callsAbout(server, lacking)).toEqual(['PUT 204', 'GET 200', 'PATCH 200']);
    expect(await callsAbout(server, renamed)).toEqual(['PUT 204', 'GET 200']);
    expect(await callsAbout(server, complete)).toEqual(['PUT 204', 'GET 200']);
    expect(await callsAbout(server, unknown)).toEqual(['PUT 204']);
  });
});

describe('nobody gains a dangerous permission', () => {
  const danger = { roles: [crew.id, mate.id, helper.id] };

  test('neither by a role nor by what a channel allows it, and the owner is told which', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, danger)]);
    const pull = await fixture.pull(server);
    expect((await heldIn(server, person))?.roles).toEqual([crew.id]);
    expect(pull.warnings).toEqual([
      expect.stringMatching(/Mate.*KICK_MEMBERS/),
      expect.stringMatching(/Helper.*MANAGE_MESSAGES/),
    ]);
  });

  test('unless the owner named the role, by its id in the backup', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, danger)]);
    const pull = await fixture.pull(server, { allowDangerousRoles: [mate.id, '999'] });
    expect((await heldIn(server, person))?.roles).toEqual([crew.id, mate.id]);
    expect(pull.warnings).toHaveLength(1);
  });

  test('by a role that has become dangerous since the backup', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, danger)]);
    await setGuild(server, { roles: [{ ...crew, permissions: '8' }, artist, mate, helper] });
    await fixture.pull(server);
    expect((await heldIn(server, person))?.roles).toEqual([]);
  });

  test('by a role that becomes dangerous during the pull', async () => {
    const server = await fixture.newServer();
    const { first, second } = await fixture.addNamed(server, 'first', 'second');
    const held = { roles: [crew.id] };
    await backUp(server, [memberOf(first, held), memberOf(second, held)]);
    await fixture.disturb(server, { nth: 1, when: 'afterApply', action: 'delay', ms: 1500 });
    const pullId = await fixture.begin(server);
    await eventually(10_000, async () => expect(await fixture.additions(server)).toHaveLength(1));
    const state = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
    const changed = state.roles.map((role: { id: string }) =>
      role.id === crew.id ? { ...role, permissions: '8' } : role,
    );
    await setGuild(server, { ...state, roles: changed });
    await fixture.ended(server, pullId);
    expect((await heldIn(server, first))?.roles).toEqual([crew.id]);
    expect((await heldIn(server, second))?.roles).toEqual([]);
  });
});

describe('what the bot may not give', () => {
  const invite = 1n;
  const manageRoles = 1n << 28n;
  const manageNicknames = 1n << 27n;
  const held = { nick: 'Bosun', roles: [crew.id, artist.id] };

  test.each<[string, object, Held, RegExp]>([
    [
      'without the permission to manage roles',
      { permissions: String(invite | manageNicknames) },
      { nick: 'Bosun', roles: [] },
      /may not manage roles/,
    ],
    [
      'without the permission to manage nicknames',
      { permissions: String(invite | manageRoles), rolePosition: 50 },
      { nick: null, roles: [crew.id, artist.id] },
      /nickname/,
    ],
    [
      'above its own role',
      { permissions: String(invite | manageRoles | manageNicknames), rolePosition: 2 },
      { nick: 'Bosun', roles: [crew.id] },
      /Artist.*above/,
    ],
  ])('%s is left out, and costs nobody the way back', async (_, botAccess, expected, warning) => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await backUp(server, [memberOf(person, held)]);
    await setGuild(server, { botAccess });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 1 } });
    expect(await heldIn(server, person)).toEqual({ nick: null, roles: [], ...expected });
    expect(pull.warnings.join(' ')).toMatch(warning);
    expect(await callsAbout(server, person)).toEqual(['PUT 201']);
  });

  test.each<[number, number]>([
    [403, 50013],
    [404, 10011],
    [400, 50035],
  ])('because the platform refuses it (%i, %i) costs nobody the way back', async (status, code) => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'first', 'second');
    await backUp(server, [memberOf(people.first, held), memberOf(people.second, held)]);
    const refused = { action: 'status', when: 'before', status, body: { code, message: 'No' } };
    // All that a member could get is refused: once as a whole, once without the nickname.
    await fixture.disturb(server, { nth: 1, times: 2, ...refused });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 2 } });
    expect(await heldIn(server, people.first)).toEqual({ nick: null, roles: [] });
    expect(await heldIn(server, people.second)).toEqual(held);
    expect(pull.warnings).toEqual([expect.stringContaining('one member')]);
  });
});

test('of a person who erased themselves no backup gives anything back, though they verified again', async () => {
  const server = await fixture.newServer();
  const { erased, other } = await fixture.addNamed(server, 'erased', 'other');
  const held = { nick: 'Bosun', roles: [crew.id] };
  await backUp(server, [memberOf(erased, held), memberOf(other, held)]);
  const { db, ring, queue } = fixture.service;
  await erasePerson({ db, ring, queue }, erased.platformId);
  await fixture.addMember(server, { platformId: erased.platformId });
  await fixture.giveTokens(server, erased.platformId);
  const pull = await fixture.pull(server);
  expect(pull.results).toEqual({ ...noResults, joined: 2 });
  expect(await heldIn(server, erased)).toEqual({ nick: null, roles: [] });
  expect(await heldIn(server, other)).toEqual(held);
});

describe('the dashboard shows before a pull', () => {
  const previewOf = async ({ owner, serverId }: PullServer) => {
    const dashboard = await openDashboard(fixture.service, owner);
    const { status, body } = await dashboard.call('GET', `/servers/${serverId}/pull-preview`);
    expect(status).toBe(200);
    return body.data;
  };

  test('that no good backup has members', async () => {
    const server = await fixture.newServer();
    expect(await previewOf(server)).toEqual({
      ...{ secondsPerMember: 1, backup: null, dangerousRoles: [], warnings: [], failure: null },
    });
  });

  test('which backup roles come from, and which of them are dangerous now', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const { id, name, createdAt } = await backUp(server, [memberOf(person)]);
    await setGuild(server, { roles: [{ ...crew, permissions: '8' }, helper] });
    const preview = await previewOf(server);
    expect(preview.backup).toEqual({ id, name, createdAt });
    expect(preview.dangerousRoles).toEqual([
      expect.objectContaining({ platformId: crew.id, name: 'Crew' }),
      { platformId: helper.id, name: 'Helper', permissions: ['MANAGE_MESSAGES'] },
    ]);
    expect(preview.warnings).toEqual([
      expect.stringMatching(/Artist.*no such role/),
      expect.stringMatching(/Mate.*no such role/),
    ]);
  });

  test('the backup also where the platform cannot be asked', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const { id } = await backUp(server, [memberOf(person)]);
    await setGuild(server, { botAccess: { isMember: false } });
    expect(await previewOf(server)).toMatchObject({
      backup: { id },
      failure: expect.stringContaining('not in the server'),
    });
  });
});
