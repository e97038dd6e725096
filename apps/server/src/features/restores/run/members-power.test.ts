import { expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import { storeIncident } from '../../../../test/harness/protection.ts';
import { permission } from '../../../platform/permissions.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});

const [mallory, honest] = ['666', '777'];
const crew = { id: '7001', name: 'Crew', permissions: '0', position: 1 };
const captain = { id: '7002', name: 'Captain', permissions: '8', position: 2 };
/** Younger than the backup. */
const pilot = { id: '7003', name: 'Pilot', permissions: '8', position: 3 };
const person = (id: string, ...roles: string[]) => ({ user: { id, username: `u${id}` }, roles });

type Guild = {
  roles: { id: string; name: string }[];
  members: { user: { id: string }; roles: string[] }[];
  channels: { permission_overwrites: { id: string; allow: string }[] }[];
};
const guildOf = (server: OwnedGuild): Promise<Guild> =>
  simulator.control('GET', `/guilds/${server.guildId}`);

const change = async (server: OwnedGuild, edit: (guild: Guild) => object) => {
  const guild = await guildOf(server);
  await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, ...edit(guild) });
};

/** Both have lost a role of theirs, and the restore has to make one of them anew. */
const newServer = async () => {
  const server = await fixture.newServer({
    roles: [crew, captain],
    members: [person(mallory, crew.id), person(honest, crew.id, captain.id)],
  });
  const backup = await fixture.takeBackup(server);
  await change(server, ({ roles }) => ({
    roles: [...roles.filter(({ id }) => id !== captain.id), pilot],
    members: [person(mallory, pilot.id), person(honest, crew.id)],
  }));
  return { server, path: `/servers/${server.serverId}/backups/${backup.id}/restore` };
};

const byKey = async ({ tenant }: OwnedGuild, path: string, mode = 'REPAIR') =>
  (await service.newKey(tenant, ['backups:restore'])).call('POST', `/api/v1${path}`, {
    body: { mode },
  });
const byPerson = async ({ tenant }: OwnedGuild, path: string, mode = 'REPAIR') =>
  (await openWithFactor(service, tenant)).call('POST', path, { mode });

/** What happens between the plan and its first step. */
const restoreAfter = async (
  server: OwnedGuild,
  begin: () => Promise<{ body: { data: { id: string } } }>,
  happen: () => Promise<void>,
) => {
  const create = { method: 'POST', route: '/guilds/:id/roles', guildId: server.guildId };
  const refusal = { when: 'before', action: 'status', status: 503, times: 100 };
  await simulator.control('POST', '/faults', { match: create, ...refusal });
  const { id } = (await begin()).body.data;
  await eventually(30_000, async () => {
    const log: { method: string; route: string; guildId: string }[] = await simulator.control(
      'GET',
      '/log',
    );
    expect(log).toContainEqual(expect.objectContaining(create));
  });
  await happen();
  await simulator.control('DELETE', '/faults');
  return fixture.restored(server, id);
};

const rolesOf = async (server: OwnedGuild, id: string) => {
  const { roles, members } = await guildOf(server);
  const held = members.find(({ user }) => user.id === id)?.roles ?? [];
  return roles.filter((role) => held.includes(role.id)).map(({ name }) => name);
};

/** Mallory loses the power that they have, and a role that they had in the backup gets some. */
const powerMoves = (server: OwnedGuild) =>
  change(server, ({ roles }) => ({
    roles: roles.map((role) => (role.name === crew.name ? { ...role, permissions: '8' } : role)),
    members: [person(mallory), person(honest, crew.id)],
  }));

test('by a key nobody is given a role with power that they had neither in the backup nor have now', async () => {
  const { server, path } = await newServer();
  const restored = await restoreAfter(
    server,
    () => byKey(server, path),
    () => powerMoves(server),
  );
  expect(await rolesOf(server, mallory)).toEqual([]);
  expect((await rolesOf(server, honest)).toSorted()).toEqual(['Captain', 'Crew']);
  expect(restored.status).toBe('partial');
  expect(restored.warnings).toContainEqual(
    expect.stringMatching(
      /member 666: not given Crew, Pilot: .* only by a person, in the dashboard/,
    ),
  );
});

test('by a person with a second factor it is given', async () => {
  const { server, path } = await newServer();
  await restoreAfter(
    server,
    () => byPerson(server, path),
    () => powerMoves(server),
  );
  expect(await rolesOf(server, mallory)).toContain('Crew');
});

test.each([
  ['a key', byKey, 'REPAIR'],
  ['a key', byKey, 'REPLACE'],
  ['a person with a second factor', byPerson, 'REPAIR'],
] as const)(
  'nobody who was stopped gets power in a channel by %s, and it is named',
  async (_, ask, mode) => {
    const power = String(permission.manageWebhooks | permission.viewChannel);
    const overwrites = [mallory, honest].map((id) => ({ id, type: 1, allow: power, deny: '0' }));
    const deck = { id: '7101', type: 0, name: 'deck', permission_overwrites: overwrites };
    const server = await fixture.newServer({
      channels: [deck],
      members: [person(mallory), person(honest)],
    });
    const backup = await fixture.takeBackup(server);
    await change(server, () => ({ channels: [{ ...deck, permission_overwrites: [] }] }));
    const executor = { platformId: mallory, rolesTaken: [] };
    const owner = { db: service.db, accountId: server.tenant.accountId };
    await storeIncident(owner, server.serverId, { executor, isEmpty: true });
    const path = `/servers/${server.serverId}/backups/${backup.id}/restore`;
    const { id } = (await ask(server, path, mode)).body.data;
    const { status, warnings } = await fixture.restored(server, id);
    const { channels } = await guildOf(server);
    const allowed = channels.flatMap(({ permission_overwrites: all }) =>
      all.filter(({ allow }) => allow === power).map((one) => one.id),
    );
    expect(allowed).toEqual([honest]);
    expect([status, warnings]).toEqual([
      'partial',
      [expect.stringMatching(/^channel deck: .*stopped in an incident/)],
    ]);
  },
);
