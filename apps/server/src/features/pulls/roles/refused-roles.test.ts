import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openDashboard } from '../../../../test/harness/dashboard/session.ts';
import { noResults, type PullServer } from '../../../../test/harness/pulls/fixture.ts';
import {
  artist,
  crew,
  type Held,
  helper,
  memberOf,
  type RolesFixture,
  startRolesFixture,
} from '../../../../test/harness/pulls/roles.ts';

let fixture: RolesFixture;
beforeAll(async () => {
  fixture = await startRolesFixture();
});
afterAll(() => fixture.stop());

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
    await fixture.backUp(server, [memberOf(person, held)]);
    await fixture.setGuild(server, { botAccess });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 1 } });
    expect(await fixture.heldIn(server, person)).toEqual({ nick: null, roles: [], ...expected });
    expect(pull.warnings.join(' ')).toMatch(warning);
    expect(await fixture.callsAbout(server, person)).toEqual(['PUT 201']);
  });

  test.each<[number, number]>([
    [403, 50013],
    [404, 10011],
    [400, 50035],
  ])('because the platform refuses it (%i, %i) costs nobody the way back', async (status, code) => {
    const server = await fixture.newServer();
    const people = await fixture.addNamed(server, 'first', 'second');
    await fixture.backUp(server, [memberOf(people.first, held), memberOf(people.second, held)]);
    const refused = { action: 'status', when: 'before', status, body: { code, message: 'No' } };
    // All that a member could get is refused: once as a whole, once without the nickname.
    await fixture.disturb(server, { nth: 1, times: 2, ...refused });
    const pull = await fixture.pull(server);
    expect(pull).toMatchObject({ status: 'completed', results: { ...noResults, joined: 2 } });
    expect(await fixture.heldIn(server, people.first)).toEqual({ nick: null, roles: [] });
    expect(await fixture.heldIn(server, people.second)).toEqual(held);
    expect(pull.warnings).toEqual([expect.stringContaining('one member')]);
  });
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

  test('which backup roles come from, and which of them are dangerous as they were in it', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const { id, name, createdAt } = await fixture.backUp(server, [memberOf(person)]);
    await fixture.setGuild(server, { roles: [{ ...crew, permissions: '8' }, helper] });
    const preview = await previewOf(server);
    expect(preview.backup).toEqual({ id, name, createdAt });
    expect(preview.dangerousRoles).toEqual([
      { platformId: helper.id, name: 'Helper', permissions: ['MANAGE_MESSAGES'] },
    ]);
    expect(preview.warnings).toEqual([
      expect.stringMatching(/Crew.*did not have in the backup/),
      expect.stringMatching(/Artist.*no such role/),
      expect.stringMatching(/Mate.*no such role/),
    ]);
  });

  test('the backup also where the platform cannot be asked', async () => {
    const server = await fixture.newServer();
    const { person } = await fixture.addNamed(server, 'person');
    const { id } = await fixture.backUp(server, [memberOf(person)]);
    await fixture.setGuild(server, { botAccess: { isMember: false } });
    expect(await previewOf(server)).toMatchObject({
      backup: { id },
      failure: expect.stringContaining('not in the server'),
    });
  });
});
