import { expect, test } from 'bun:test';
import { createAttacks } from '../../../../../test/harness/attacks/attacked-server.ts';
import { startBackupFixture } from '../../../../../test/harness/backups/fixture.ts';
import { permission } from '../../../../platform/permissions.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'restores.repair'],
});
const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);

const see = `${permission.viewChannel}`;
const [crew, guests, mate] = ['7101', '7102', '810000000000000011'];
type Rule = { id: string; type: number; allow: string; deny: string };
const rule = (id: string, allow: string, deny: string): Rule => ({
  ...{ id, type: id === mate ? 1 : 0, allow, deny },
});

/** A server with two roles and a mate, its backup, and what can be done to it. */
const begin = async () => {
  const server = await fixture.newServer();
  const { guildId } = server;
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [
      { id: guildId, name: '@everyone', permissions: see },
      { id: crew, name: 'Crew', permissions: '0' },
      { id: guests, name: 'Guests', permissions: '0' },
    ],
    members: [{ user: { id: mate, username: 'mate' }, roles: [crew] }],
    channels: [{ id: `${guildId}1`.slice(-18), name: 'hall', type: 0 }],
  });
  await fixture.takeBackup(server);
  const [honest, attacker] = [newPerson(), newPerson()];
  const guild = `/guilds/${guildId}`;
  return {
    ...{ server, guild, honest, attacker },
    make: async (name: string, rules: Rule[]): Promise<{ id: string }> =>
      honest.call('POST', `${guild}/channels`, { name, type: 0, permission_overwrites: rules }),
    /** Is put out, and comes back. */
    async putOut() {
      await honest.call('DELETE', `${guild}/members/${mate}`);
      await simulator.control('PUT', `/users/${mate}`, { guildIds: [guildId] });
    },
    async repair() {
      const options = { isHeardBefore: false };
      const { repair } = await storeAttack(server, honest, attacker.id, options);
      const { body } = await server.tenant.call('POST', repair);
      const restore = await fixture.restored(server, body.data.id);
      expect([restore.status, restore.warnings]).toEqual(['completed', []]);
    },
    /** What the channel says, by names. */
    async rulesOf(name: string) {
      const { channels, roles } = await guildOf(server);
      const nameOf = (id: string) => roles.find((one: { id: string }) => one.id === id)?.name ?? id;
      const found = channels.find((one: { name: string }) => one.name === name);
      return found.permission_overwrites
        .map(({ id, allow, deny }: Rule) => `${nameOf(id)} +${allow} -${deny}`)
        .sort();
    },
    async rolesOfMate(): Promise<string[]> {
      const { members, roles } = await guildOf(server);
      const found = members.find(({ user }: { user: { id: string } }) => user.id === mate);
      const nameOf = (id: string) => roles.find((one: { id: string }) => one.id === id)?.name;
      return found.roles.map(nameOf);
    },
  };
};

test('a role that is made again may, in channels younger than the backup, what it might when they were made', async () => {
  const { server, guild, attacker, make, repair, rulesOf } = await begin();
  const [shut, kept] = [rule(guests, '0', see), rule(crew, see, '0')];
  const all = rule(server.guildId, '0', see);
  await make('desk', [shut]);
  await make('safe', [all, kept]);
  const lost = await make('gone', [all, kept, shut]);
  const before = await Promise.all(['desk', 'safe', 'gone'].map(rulesOf));
  for (const id of [crew, guests]) await attacker.call('DELETE', `${guild}/roles/${id}`);
  await attacker.call('DELETE', `/channels/${lost.id}`);
  await repair();
  expect(await Promise.all(['desk', 'safe', 'gone'].map(rulesOf))).toEqual(before);
});

test('whoever was put out before the attack is let in nowhere by a channel that is made again', async () => {
  const { server, honest, attacker, make, putOut, repair, rulesOf } = await begin();
  const { id } = await make('safe', [rule(server.guildId, '0', see)]);
  await honest.call('PUT', `/channels/${id}/permissions/${mate}`, rule(mate, see, '0'));
  await putOut();
  const before = await rulesOf('safe');
  await attacker.call('DELETE', `/channels/${id}`);
  await repair();
  expect(await rulesOf('safe')).toEqual(before);
});

test('whoever is put out after the attack gets nothing back by its repair', async () => {
  const { server, guild, honest, attacker, make, putOut, repair, rulesOf, rolesOfMate } =
    await begin();
  const { id } = await make('safe', [rule(server.guildId, '0', see)]);
  await honest.call('PUT', `/channels/${id}/permissions/${mate}`, rule(mate, see, '0'));
  await attacker.call('DELETE', `/channels/${id}`);
  await attacker.call('DELETE', `${guild}/members/${mate}/roles/${crew}`);
  await putOut();
  await repair();
  expect(await rulesOf('safe')).toEqual([`@everyone +0 -${see}`]);
  expect(await rolesOfMate()).toEqual([]);
});

test('whoever is put out after the attack gets no role back that its repair makes again', async () => {
  const { guild, attacker, putOut, repair, rolesOfMate } = await begin();
  await attacker.call('DELETE', `${guild}/roles/${crew}`);
  await putOut();
  await repair();
  expect(await rolesOfMate()).toEqual([]);
});
