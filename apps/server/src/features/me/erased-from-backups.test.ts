import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/audit-entries.ts';
import { createErasureScene, type ErasureScene } from '../../../test/erasure-scene.ts';
import { openBrowser, type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { erasures } from '../backups/table.ts';

let people: PeopleScene;
let scene: ErasureScene;
beforeAll(async () => {
  people = await startPeopleScene({ doesWork: ['backups.run', 'restores.run'] });
  scene = createErasureScene(people);
}, 60_000);
afterAll(() => people.stop());

const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};

const newPlace = async () => {
  const person = await scene.newPerson();
  const server = await scene.backups.newServer();
  return { person, server, ...(await scene.putEverywhere(server, person)) };
};

describe('after somebody erased themselves whom only a backup holds', () => {
  test('no plan names them and no restore gives them back what they had', async () => {
    const { person, server, roleId, other } = await newPlace();
    const { id, status } = await scene.backups.takeBackup(server, withMessages);
    expect(status).toBe('completed');
    expect(await scene.objectsHolding(server, person.platformId)).not.toEqual([]);
    expect((await scene.erase(person)).status).toBe(200);

    const guild = await scene.guildOf(server);
    await scene.putGuild(server, {
      ...guild,
      members: guild.members.map((member) =>
        [person.platformId, other].includes(member.user.id)
          ? { ...member, nick: null, roles: [] }
          : member,
      ),
    });
    const path = `${scene.backups.backupsOf(server.serverId)}/${id}/plan`;
    const plan = (await server.tenant.call('POST', path, { body: {} })).text;
    expect(plan).toContain('Friend');
    for (const name of [person.platformId, person.canary]) expect(plan).not.toContain(name);

    const restored = await scene.backups.restore(server, id);
    expect(restored.status).toBeOneOf(['completed', 'partial']);
    const after = await scene.guildOf(server);
    const memberOf = (accountId: string) => after.members.find(({ user }) => user.id === accountId);
    expect(memberOf(other)).toMatchObject({ nick: 'Friend', roles: [roleId] });
    expect(memberOf(person.platformId)).toMatchObject({ roles: [] });
    expect(memberOf(person.platformId)?.nick ?? null).toBeNull();
    expect(JSON.stringify(after.channels)).not.toContain(person.platformId);
  });

  test('their account’s owner is told once, and the tombstone names nobody', async () => {
    const { person, server } = await newPlace();
    await scene.backups.takeBackup(server);
    await Promise.all([scene.erase(person), scene.erase(person), scene.erase(person)]);
    const entries = (await auditOf(server.tenant)).data.filter(
      ({ action }: { action: string }) => action === 'member.erase',
    );
    expect(entries).toHaveLength(1);
    const tombstones = JSON.stringify(
      await people.service.db.select().from(erasures),
      (_, value) => (typeof value === 'bigint' ? value.toString() : value),
    );
    expect(tombstones).not.toContain(person.platformId);
  });

  test('what is saved later does not hold them', async () => {
    const { person, server } = await newPlace();
    await scene.backups.takeBackup(server, withMessages);
    await scene.erase(person);
    const { id } = await scene.backups.takeBackup(server, withMessages);
    for (const name of [person.platformId, person.canary]) {
      expect(await scene.objectsHolding(server, name, id)).toEqual([]);
    }
  });
});

test('a person sees and exports what backups hold about them, and nothing once it is erased', async () => {
  const { person, server } = await newPlace();
  await scene.backups.takeBackup(server, withMessages);
  await scene.backups.takeBackup(server);
  const browser = openBrowser(people);
  await browser.signIn(person.platformId);
  const page = await browser.text('/me');
  expect(page).toContain('your roles and nickname, in 2 backups');
  expect(page).toContain('messages that you wrote or that mention you, in one backup');
  expect(page).not.toContain('No server keeps anything about you');
  const { backups } = await (await browser.go('/me/export')).json();
  expect(backups).toHaveLength(1);
  expect(backups[0].kinds).toContainEqual({ kind: 'ROLES_AND_NICKNAME', backups: 2 });
  expect(backups[0].kinds).toContainEqual({ kind: 'MESSAGES', backups: 1 });
  const erased = await (await browser.post('/me/erase', { confirmation: 'ERASE' })).text();
  expect(erased).toContain('within 24 hours');
  await browser.signIn(person.platformId);
  expect(await browser.text('/me')).toContain('No server keeps anything about you');
  expect((await (await browser.go('/me/export')).json()).backups).toEqual([]);
});
