import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  createErasureFixture,
  type ErasureFixture,
} from '../../../../test/harness/erasure/fixture.ts';
import {
  openBrowser,
  type PeopleFixture,
  startPeopleFixture,
} from '../../../../test/harness/erasure/people.ts';
import { erasures } from '../../backups/table.ts';

let people: PeopleFixture;
let fixture: ErasureFixture;
beforeAll(async () => {
  people = await startPeopleFixture({ doesWork: ['backups.run', 'restores.run'] });
  fixture = createErasureFixture(people);
});
afterAll(() => people.stop());

const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};

const newPersonOnServer = async () => {
  const person = await fixture.newPerson();
  const server = await fixture.backups.newServer();
  return { person, server, ...(await fixture.putEverywhere(server, person)) };
};

describe('after the erasure of a person whom only a backup holds', () => {
  test('no plan names them and no restore gives them back what they had', async () => {
    const { person, server, roleId, other } = await newPersonOnServer();
    const { id, status } = await fixture.backups.takeBackup(server, withMessages);
    expect(status).toBe('completed');
    expect(await fixture.objectsHolding(server, person.platformId)).not.toEqual([]);
    expect((await fixture.erase(person)).status).toBe(200);

    const guild = await fixture.guildOf(server);
    await fixture.putGuild(server, {
      ...guild,
      members: guild.members.map((member) =>
        [person.platformId, other].includes(member.user.id)
          ? { ...member, nick: null, roles: [] }
          : member,
      ),
    });
    const path = `${fixture.backups.backupsOf(server.serverId)}/${id}/plan`;
    const plan = (await server.tenant.call('POST', path, { body: {} })).text;
    expect(plan).toContain('Friend');
    for (const name of [person.platformId, person.canary]) expect(plan).not.toContain(name);

    const restored = await fixture.backups.restore(server, id);
    expect(restored.status).toBeOneOf(['completed', 'partial']);
    const after = await fixture.guildOf(server);
    const memberOf = (accountId: string) => after.members.find(({ user }) => user.id === accountId);
    expect(memberOf(other)).toMatchObject({ nick: 'Friend', roles: [roleId] });
    expect(memberOf(person.platformId)).toMatchObject({ roles: [] });
    expect(memberOf(person.platformId)?.nick ?? null).toBeNull();
    expect(JSON.stringify(after.channels)).not.toContain(person.platformId);
  });

  test('the account’s owner is notified once, and the tombstone names no one', async () => {
    const { person, server } = await newPersonOnServer();
    await fixture.backups.takeBackup(server);
    await Promise.all([fixture.erase(person), fixture.erase(person), fixture.erase(person)]);
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

  test('later backups do not hold them', async () => {
    const { person, server } = await newPersonOnServer();
    await fixture.backups.takeBackup(server, withMessages);
    await fixture.erase(person);
    const { id } = await fixture.backups.takeBackup(server, withMessages);
    for (const name of [person.platformId, person.canary]) {
      expect(await fixture.objectsHolding(server, name, id)).toEqual([]);
    }
  });
});

test('a person sees and exports what backups hold about them, and nothing once it is erased', async () => {
  const { person, server } = await newPersonOnServer();
  await fixture.backups.takeBackup(server, withMessages);
  await fixture.backups.takeBackup(server);
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
  const savedAt = expect.any(String);
  expect(backups[0].list).toMatchObject([
    { savedAt, kinds: expect.not.arrayContaining(['MESSAGES']) },
    { savedAt, kinds: expect.arrayContaining(['MESSAGES', 'ROLES_AND_NICKNAME']) },
  ]);
  for (const { name } of backups[0].list) expect(name).toBeString();
  const erased = await (await browser.post('/me/erase', { confirmation: 'ERASE' })).text();
  expect(erased).toContain('within 24 hours');
  await browser.signIn(person.platformId);
  expect(await browser.text('/me')).toContain('No server keeps anything about you');
  expect((await (await browser.go('/me/export')).json()).backups).toEqual([]);
});
