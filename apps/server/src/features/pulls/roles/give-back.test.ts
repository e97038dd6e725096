import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually } from '../../../../test/harness/eventually.ts';
import { noResults } from '../../../../test/harness/pulls/fixture.ts';
import {
  artist,
  boosters,
  crew,
  helper,
  mate,
  memberOf,
  type RolesFixture,
  startRolesFixture,
} from '../../../../test/harness/pulls/roles.ts';
import { newId } from '../../../kernel/ids.ts';
import { erasePerson } from '../../me/erase/erase-person.ts';
import { restoredIds } from '../../servers/table.ts';

let fixture: RolesFixture;
beforeAll(async () => {
  fixture = await startRolesFixture();
});
afterAll(() => fixture.stop());

describe('members come back', () => {
  test('with the roles and the nickname of the backup, by the one call that adds them', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'both', 'roleOnly', 'nickOnly', 'plain', 'new');
    const backup = await fixture.backUp(server, [
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
    expect(await fixture.heldIn(server, people.both)).toEqual({
      nick: 'Bosun',
      roles: [crew.id, artist.id],
    });
    expect(await fixture.heldIn(server, people.roleOnly)).toEqual({ nick: null, roles: [crew.id] });
    expect(await fixture.heldIn(server, people.nickOnly)).toEqual({ nick: 'Gull', roles: [] });
    expect(await fixture.heldIn(server, people.plain)).toEqual({ nick: null, roles: [] });
    for (const person of Object.values(people)) {
      expect(await fixture.callsAbout(server, person)).toEqual(['PUT 201']);
    }
    expect(
      await fixture.db.$client`select 1 from pull_member_roles where pull_id = ${pull.id}`,
    ).toHaveLength(0);
  });

  test('with the pull’s own role besides', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await fixture.backUp(server, [memberOf(person, { roles: [crew.id] })]);
    await fixture.pull(server, { roleId: artist.id });
    expect((await fixture.heldIn(server, person))?.roles).toEqual([crew.id, artist.id]);
  });

  test('with the roles that a restore made of them, into whichever server of the owner', async () => {
    const server = await fixture.newServer();
    const target = await fixture.newServer({}, server.owner);
    const { person } = await fixture.addNamed(server, 'person');
    await fixture.backUp(server, [memberOf(person, { roles: [crew.id, mate.id] })]);
    const [renamed, strong] = [
      { ...crew, id: '8001', name: 'Sailors' },
      { ...mate, id: '8002' },
    ];
    await fixture.setGuild(target, { roles: [renamed, strong] });
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
    expect((await fixture.heldIn(target, person))?.roles).toEqual([renamed.id, strong.id]);
  });

  test('without them where the owner does not want that, or no good backup has any', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    expect((await fixture.pull(server)).rolesFromBackupId).toBeNull();
    await fixture.backUp(server, [memberOf(person, { nick: 'Bosun', roles: [crew.id] })]);
    const pull = await fixture.pull(server, { restoreRoles: false });
    expect(pull).toMatchObject({ restoreRoles: false, rolesFromBackupId: null });
    expect(await fixture.heldIn(server, person)).toEqual({ nick: null, roles: [] });
  });

  test('as in the newest backup that was neither taken while the server was damaged, nor before a restore, nor without members', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const good = await fixture.backUp(server, [memberOf(person, { roles: [crew.id] })]);
    const later = [memberOf(person, { roles: [artist.id] })];
    const damaged = await fixture.backUp(server, later);
    const safety = await fixture.backUp(server, later);
    await fixture.db.$client`update backups set health = 'DAMAGED' where id = ${damaged.id}`;
    await fixture.db.$client`update backups set kind = 'PRE_RESTORE' where id = ${safety.id}`;
    const components = ['settings', 'roles', 'channels'];
    await fixture.backups.takeBackup({ ...server, tenant: server.owner }, { components });
    expect((await fixture.pull(server)).rolesFromBackupId).toBe(good.id);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([crew.id]);
  });
});

describe('members who are there already', () => {
  test('get what they lack by one edit, and lose nothing', async () => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'lacking', 'renamed', 'complete', 'unknown');
    const { lacking, renamed, complete, unknown } = people;
    const held = { nick: 'Bosun', roles: [crew.id] };
    await fixture.backUp(server, [
      memberOf(lacking, held),
      memberOf(renamed, held),
      memberOf(complete, held),
    ]);
    await fixture.setGuild(server, {
      members: [
        memberOf(lacking, { roles: [artist.id, boosters.id] }),
        memberOf(renamed, { nick: 'Captain', roles: [crew.id] }),
        memberOf(complete, { nick: 'Bosun', roles: [crew.id, mate.id] }),
        memberOf(unknown),
      ],
    });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ results: { ...noResults, alreadyMember: 4 }, warnings: [] });
    expect(await fixture.heldIn(server, lacking)).toEqual({
      nick: 'Bosun',
      roles: [crew.id, artist.id, boosters.id],
    });
    expect(await fixture.heldIn(server, renamed)).toEqual({ nick: 'Captain', roles: [crew.id] });
    expect(await fixture.callsAbout(server, lacking)).toEqual(['PUT 204', 'GET 200', 'PATCH 200']);
    expect(await fixture.callsAbout(server, renamed)).toEqual(['PUT 204', 'GET 200']);
    expect(await fixture.callsAbout(server, complete)).toEqual(['PUT 204', 'GET 200']);
    expect(await fixture.callsAbout(server, unknown)).toEqual(['PUT 204']);
  });
});

describe('nobody gains a dangerous permission', () => {
  const danger = { roles: [crew.id, mate.id, helper.id] };

  test('neither by a role nor by what a channel allows it, and the owner is told which', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await fixture.backUp(server, [memberOf(person, danger)]);
    const pull = await fixture.pull(server);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([crew.id]);
    expect(pull.warnings).toEqual([
      expect.stringMatching(/Mate.*KICK_MEMBERS/),
      expect.stringMatching(/Helper.*MANAGE_MESSAGES/),
    ]);
  });

  test('unless the owner named the role, by its id in the backup', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await fixture.backUp(server, [memberOf(person, danger)]);
    const pull = await fixture.pull(server, { allowDangerousRoles: [mate.id, '999'] });
    expect((await fixture.heldIn(server, person))?.roles).toEqual([crew.id, mate.id]);
    expect(pull.warnings).toHaveLength(1);
  });

  test('by a role that has become dangerous since the backup', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    await fixture.backUp(server, [memberOf(person, danger)]);
    await fixture.setGuild(server, {
      roles: [{ ...crew, permissions: '8' }, artist, mate, helper],
    });
    await fixture.pull(server);
    expect((await fixture.heldIn(server, person))?.roles).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    [
      'by itself',
      { roles: [{ ...crew, permissions: '8' }, artist, { ...mate, permissions: '6' }, helper] },
      /Mate.*BAN_MEMBERS.*not have/,
    ],
    [
      'by overwrites of a channel',
      {
        channels: [crew, mate].map(({ id }) => ({
          ...{ id: `7${id}`, name: `hold ${id}` },
          permission_overwrites: [{ id, type: 0, allow: '8192', deny: '0' }],
        })),
      },
      /Mate.*MANAGE_MESSAGES.*not have/,
    ],
  ])(
    'by a role that has more power than in the backup %s, though it is named',
    async (_, guild, mateWarning) => {
      const server = await fixture.newServer();
      const { person } = await fixture.addNamed(server, 'person');
      await fixture.backUp(server, [memberOf(person, danger)]);
      await fixture.setGuild(server, guild);
      const pull = await fixture.pull(server, {
        allowDangerousRoles: [crew.id, mate.id, helper.id],
      });
      expect((await fixture.heldIn(server, person))?.roles).toEqual([helper.id]);
      expect(pull.warnings).toEqual([
        expect.stringMatching(/Crew.*not have/),
        expect.stringMatching(mateWarning),
      ]);
    },
  );

  const hold = { id: '7300', name: 'hold' };
  const overwrite = { id: crew.id, type: 0, allow: '8192', deny: '0' };
  test.each<[string, object]>([
    ['itself', { roles: [{ ...crew, permissions: '8' }] }],
    ['an overwrite', { channels: [{ ...hold, permission_overwrites: [overwrite] }] }],
  ])('by a role that becomes dangerous during the pull, by %s', async (_, change) => {
    const server = await fixture.newServer();
    const { first, second } = await fixture.addNamed(server, 'first', 'second');
    const held = { roles: [crew.id] };
    await fixture.backUp(server, [memberOf(first, held), memberOf(second, held)]);
    await fixture.disturb(server, { nth: 1, when: 'afterApply', action: 'delay', ms: 1500 });
    const pullId = await fixture.begin(server);
    await eventually(10_000, async () => expect(await fixture.additions(server)).toHaveLength(1));
    const state = await fixture.simulator.control('GET', `/guilds/${server.guildId}`);
    await fixture.setGuild(server, { ...state, ...change });
    await fixture.ended(server, pullId);
    expect((await fixture.heldIn(server, first))?.roles).toEqual([crew.id]);
    expect((await fixture.heldIn(server, second))?.roles).toEqual([]);
  });

  test('by a role that gets more power after the pull has read it, though it is named', async () => {
    const patient = await startRolesFixture({ rereadRolesAfterMs: 60_000 });
    const server = await patient.newServer();
    const { first, second } = await patient.addNamed(server, 'first', 'second');
    const held = { roles: [crew.id, mate.id] };
    await patient.backUp(server, [memberOf(first, held), memberOf(second, held)]);
    // For longer than what is read of a guild counts as new.
    await patient.disturb(server, { nth: 1, when: 'afterApply', action: 'delay', ms: 3000 });
    const pullId = await patient.begin(server, { allowDangerousRoles: [mate.id] });
    await eventually(10_000, async () => expect(await patient.additions(server)).toHaveLength(1));
    const state = await patient.simulator.control('GET', `/guilds/${server.guildId}`);
    const stronger = new Map([
      [crew.id, '8'],
      [mate.id, '6'],
    ]);
    await patient.setGuild(server, {
      ...state,
      roles: state.roles.map((role: typeof crew) => ({
        ...role,
        permissions: stronger.get(role.id) ?? role.permissions,
      })),
    });
    await patient.ended(server, pullId);
    expect((await patient.heldIn(server, first))?.roles).toEqual([crew.id, mate.id]);
    expect((await patient.heldIn(server, second))?.roles).toEqual([]);
    await patient.stop();
  });
});

test('of a person who erased themselves no backup gives anything back, though they verified again', async () => {
  const server = await fixture.newServer();
  const { erased, other } = await fixture.addNamed(server, 'erased', 'other');
  const held = { nick: 'Bosun', roles: [crew.id] };
  await fixture.backUp(server, [memberOf(erased, held), memberOf(other, held)]);
  const { db, ring, queue } = fixture.service;
  await erasePerson({ db, ring, queue }, erased.platformId);
  await fixture.addMember(server, { platformId: erased.platformId });
  await fixture.giveTokens(server, erased.platformId);
  const pull = await fixture.pull(server);
  expect(pull.results).toEqual({ ...noResults, joined: 2 });
  expect(await fixture.heldIn(server, erased)).toEqual({ nick: null, roles: [] });
  expect(await fixture.heldIn(server, other)).toEqual(held);
});
