import { afterEach, expect, test } from 'bun:test';
import { createAttacks } from '../../../../test/harness/attacks/attacked-server.ts';
import { type OwnedGuild, startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../../test/harness/eventually.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run'],
});
const { newPerson, guildOf } = createAttacks(simulator, service);

afterEach(() => simulator.control('DELETE', '/faults'));

const captain = { id: '7002', name: 'Captain', permissions: '8', position: 1 };

type Role = { id: string; name: string; permissions: string };
type Member = { user: { id: string }; roles: string[] };

const damaged = async () => {
  const server = await fixture.newServer({ roles: [captain] });
  const backup = await fixture.takeBackup(server);
  const guild = await guildOf(server);
  const roles = guild.roles.filter(({ name }: Role) => name !== captain.name);
  await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, roles });
  const path = `${fixture.backupsOf(server.serverId)}/${backup.id}/restore`;
  const begin = async (): Promise<string> =>
    (await server.tenant.call('POST', path, { body: { mode: 'REPAIR' } })).body.data.id;
  return { server, begin };
};

const addFault = ({ guildId }: OwnedGuild, call: object, fault: object) =>
  simulator.control('POST', '/faults', { match: { ...call, guildId }, ...fault });

const createRole = { method: 'POST', route: '/guilds/:id/roles' };

const captainsOf = async (server: OwnedGuild): Promise<Role[]> =>
  (await guildOf(server)).roles.filter(({ name }: Role) => name === captain.name);

test('a role that somebody else made under the name of one that is to be made gets none of its power', async () => {
  const { server, begin } = await damaged();
  await addFault(server, createRole, { action: 'status', status: 503, ms: 4000 });
  const id = await begin();
  await eventually(30_000, async () => {
    expect(await simulator.control('GET', '/faults')).toMatchObject([{ seen: 1 }]);
  });
  const mallory = newPerson();
  const path = `/guilds/${server.guildId}`;
  const namesake = await mallory.call('POST', `${path}/roles`, {
    ...{ name: captain.name, permissions: '0' },
  });
  await mallory.call('PUT', `${path}/members/${mallory.id}/roles/${namesake.id}`);
  expect((await fixture.restored(server, id)).status).toBe('completed');
  const { members } = await guildOf(server);
  const held = members.find(({ user }: Member) => user.id === mallory.id)?.roles;
  expect(held).toContain(namesake.id);
  const captains = await captainsOf(server);
  expect(captains.map(({ permissions }) => permissions).toSorted()).toEqual(['0', '8']);
  expect(captains.find(({ id: roleId }) => roleId === namesake.id)?.permissions).toBe('0');
});

test('a role is made again where the audit log cannot tell who made the one that is there', async () => {
  const { server, begin } = await damaged();
  await addFault(server, createRole, { when: 'afterApply', action: 'reset' });
  await addFault(
    server,
    { method: 'GET', route: '/guilds/:id/audit-logs' },
    { action: 'status', status: 403, body: { code: 50013, message: 'Missing Permissions' } },
  );
  expect((await fixture.restored(server, await begin())).status).toBe('completed');
  const captains = await captainsOf(server);
  expect(captains.map(({ permissions }) => permissions).toSorted()).toEqual(['0', '8']);
});
