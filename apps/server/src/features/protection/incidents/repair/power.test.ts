import { expect, test } from 'bun:test';
import { createAttacks } from '../../../../../test/harness/attacks/attacked-server.ts';
import {
  type OwnedGuild,
  startBackupFixture,
} from '../../../../../test/harness/backups/fixture.ts';
import { storeIncident } from '../../../../../test/harness/protection.ts';
import { permission } from '../../../../platform/permissions.ts';

const { simulator, fixture, service } = await startBackupFixture({
  doesWork: ['backups.run', 'restores.run', 'restores.repair'],
});
const { newPerson, guildOf, storeAttack } = createAttacks(simulator, service);
type Person = ReturnType<typeof newPerson>;
type Named = { id: string; name: string };
type Member = { user: { id: string }; roles: string[] };
type Option = { title: string; role_ids: string[] };

const manageChannels = `${permission.manageChannels}`;
const see = `${permission.viewChannel}`;
const [demoted, kept] = ['810000000000000001', '810000000000000002'];

/** A community with a role that has power, one that opens a channel, and one that newcomers choose. */
const newCommunity = async () => {
  const server = await fixture.newServer();
  const owner = newPerson();
  const { guildId } = server;
  const guild = `/guilds/${guildId}`;
  const addRole = (name: string, permissions = '0'): Promise<Named> =>
    owner.call('POST', `${guild}/roles`, { name, permissions });
  const mods = await addRole('Mods', manageChannels);
  const [keys, pink] = [await addRole('Keys'), await addRole('Pink')];
  const hidden = { id: guildId, type: 0, allow: '0', deny: see };
  const vault: Named = await owner.call('POST', `${guild}/channels`, {
    name: 'vault',
    type: 0,
    permission_overwrites: [hidden, { id: keys.id, type: 0, allow: see, deny: '0' }],
  });
  const { members, ...state } = await guildOf(server);
  await simulator.control('PUT', guild, {
    ...state,
    members: [
      ...members,
      ...[demoted, kept].map((id) => ({ user: { id, username: id }, roles: [mods.id, keys.id] })),
    ],
  });
  const offer = async (roleIds: string[]) => {
    const { onboarding } = await guildOf(server);
    const known = onboarding.prompts.find(({ title }: { title: string }) => title === 'Colour');
    const [id, optionId] = [known?.id ?? '1', known?.options[0].id ?? '2'];
    const { default_channel_ids } = onboarding;
    await owner.call('PUT', `${guild}/onboarding`, {
      enabled: true,
      mode: 0,
      default_channel_ids,
      prompts: [
        {
          id,
          type: 0,
          title: 'Colour',
          single_select: false,
          required: false,
          in_onboarding: true,
          options: [{ id: optionId, title: 'Any', channel_ids: [vault.id], role_ids: roleIds }],
        },
      ],
    });
  };
  await offer([pink.id]);
  return { server, owner, guild, mods, keys, pink, vault, offer };
};

const named = (things: Named[], name: string) => things.find((one) => one.name === name);

/** What everybody has, by names: what is made again has another id. */
const describe = async (server: OwnedGuild) => {
  const { roles, channels, members, onboarding } = await guildOf(server);
  const nameOf = (id: string) => roles.find((one: Named) => one.id === id)?.name;
  const rolesOf = (userId: string) =>
    members
      .find(({ user }: Member) => user.id === userId)
      .roles.map(nameOf)
      .sort();
  const vault = channels.find(({ name }: Named) => name === 'vault');
  return {
    mods: named(roles, 'Mods') && roles.find(({ name }: Named) => name === 'Mods').permissions,
    vault: vault.permission_overwrites
      .filter(({ allow }: { allow: string }) => allow !== '0')
      .map(({ id }: { id: string }) => nameOf(id)),
    demoted: rolesOf(demoted),
    kept: rolesOf(kept),
    options: onboarding.prompts.flatMap(({ options }: { options: Option[] }) =>
      options.map(({ title, role_ids }) => [title, role_ids.map(nameOf)]),
    ),
  };
};

const deleteAll = async ({ server, guild }: Community, attacker: Person) => {
  const { roles } = await guildOf(server);
  for (const name of ['Mods', 'Keys', 'Pink']) {
    await attacker.call('DELETE', `${guild}/roles/${named(roles, name)?.id}`);
  }
};
type Community = Awaited<ReturnType<typeof newCommunity>>;

/** By what was heard since the attack began. */
const repair = async (server: OwnedGuild, reader: Person, attacker: Person) => {
  const stored = await storeAttack(server, reader, attacker.id, { isHeardBefore: false });
  const plan = (await server.tenant.call('GET', `${stored.repair}-plan`)).body.data;
  const { body } = await server.tenant.call('POST', stored.repair);
  const restore = await fixture.restored(server, body.data.id);
  expect([restore.status, restore.warnings]).toEqual(['completed', []]);
  expect(plan.notes).toEqual(restore.notes);
  return { restore, after: await describe(server) };
};

test('what the owner had taken away before the attack is not given back, however often it is repaired', async () => {
  const community = await newCommunity();
  const { server, owner, guild, mods, keys, pink, vault, offer } = community;
  await fixture.takeBackup(server);
  await owner.call('PATCH', `${guild}/roles/${mods.id}`, { permissions: '0' });
  await owner.call('DELETE', `${guild}/members/${demoted}/roles/${mods.id}`);
  await owner.call('DELETE', `/channels/${vault.id}/permissions/${keys.id}`);
  await offer([]);
  const before = await describe(server);
  expect(before).toEqual({
    mods: '0',
    vault: [],
    demoted: ['Keys'],
    kept: ['Keys', 'Mods'],
    options: [['Any', []]],
  });
  expect(pink.id).not.toBe(keys.id);
  for (const attacker of [newPerson(), newPerson()]) {
    await deleteAll(community, attacker);
    const { after, restore } = await repair(server, owner, attacker);
    expect(after).toEqual(before);
    expect(restore.notes).toEqual([]);
  }
});

test('what there was when the attack began comes back, also where it is younger than the backup', async () => {
  const community = await newCommunity();
  const { server, owner, guild, mods, keys, vault } = community;
  await owner.call('DELETE', `${guild}/members/${kept}/roles/${mods.id}`);
  await owner.call('DELETE', `/channels/${vault.id}/permissions/${keys.id}`);
  await fixture.takeBackup(server);
  await owner.call('PUT', `${guild}/members/${kept}/roles/${mods.id}`);
  await owner.call('PUT', `/channels/${vault.id}/permissions/${keys.id}`, {
    type: 0,
    allow: see,
    deny: '0',
  });
  const before = await describe(server);
  const attacker = newPerson();
  await deleteAll(community, attacker);
  const { after } = await repair(server, owner, attacker);
  expect(after).toEqual(before);
  expect(before).toMatchObject({ vault: ['Keys'], options: [['Any', ['Pink']]] });
});

test('whoever was put out and came back has what they were given since', async () => {
  const community = await newCommunity();
  const { server, owner, guild } = community;
  await fixture.takeBackup(server);
  await owner.call('DELETE', `${guild}/members/${demoted}`);
  const { members, ...state } = await guildOf(server);
  const again = { user: { id: demoted, username: demoted }, roles: [] };
  await simulator.control('PUT', guild, { ...state, members: [...members, again] });
  const attacker = newPerson();
  await deleteAll(community, attacker);
  const { after } = await repair(server, owner, attacker);
  expect([after.demoted, after.kept]).toEqual([[], ['Keys', 'Mods']]);
});

test('whoever attacked gets no power back by a channel that is made again, nor by an overwrite that they removed', async () => {
  const { server, owner, guild } = await newCommunity();
  const attacker = newPerson();
  const { members, ...state } = await guildOf(server);
  const people = [attacker.id, kept].map((id) => ({ user: { id, username: id }, roles: [] }));
  await simulator.control('PUT', guild, { ...state, members: [...members, ...people] });
  const power = permission.manageChannels | permission.manageRoles;
  const allow = `${power | permission.viewChannel}`;
  const permission_overwrites = [attacker.id, kept].map((id) => ({
    id,
    type: 1,
    allow,
    deny: '0',
  }));
  const add = (name: string): Promise<Named> =>
    owner.call('POST', `${guild}/channels`, { name, type: 0, permission_overwrites });
  const [gone, there] = [await add('gone'), await add('there')];
  await fixture.takeBackup(server);
  await attacker.call('DELETE', `/channels/${gone.id}`);
  await attacker.call('DELETE', `/channels/${there.id}/permissions/${attacker.id}`);
  await repair(server, owner, attacker);
  const { channels } = await guildOf(server);
  const allowedIn = (name: string) =>
    channels
      .find((one: Named) => one.name === name)
      .permission_overwrites.map((one: { id: string; allow: string }) => [one.id, one.allow]);
  const expected = [
    [attacker.id, see],
    [kept, allow],
  ];
  expect(allowedIn('gone').sort()).toEqual(expected.toSorted());
  expect(allowedIn('there').sort()).toEqual(expected.toSorted());
});

test('whoever is stopped in another incident gets no power back by a repair, and it is named', async () => {
  const { server, owner, guild, mods, keys } = await newCommunity();
  await fixture.takeBackup(server);
  const attacker = newPerson();
  for (const role of [mods, keys]) {
    await attacker.call('DELETE', `${guild}/members/${kept}/roles/${role.id}`);
  }
  const executor = { platformId: kept, rolesTaken: [] };
  const account = { db: service.db, accountId: server.tenant.accountId };
  await storeIncident(account, server.serverId, { executor, isEmpty: true });
  const stored = await storeAttack(server, owner, attacker.id, { isHeardBefore: false });
  const { body } = await server.tenant.call('POST', stored.repair);
  const restore = await fixture.restored(server, body.data.id);
  expect((await describe(server)).kept).toEqual(['Keys']);
  expect([restore.status, restore.warnings]).toEqual([
    'partial',
    [expect.stringMatching(/^member .*not given Mods: .*incident/)],
  ]);
});

test('whoever gave themselves a role while attackers had made it harmless loses it by the repair', async () => {
  const { server, owner, guild, mods, pink } = await newCommunity();
  await fixture.takeBackup(server);
  const [attacker, alt] = [newPerson(), newPerson()];
  await attacker.call('PATCH', `${guild}/roles/${mods.id}`, { permissions: '0' });
  // As by the onboarding, which they can change too.
  for (const role of [mods, pink]) {
    await alt.call('PUT', `${guild}/members/${alt.id}/roles/${role.id}`);
  }
  const stored = await storeAttack(server, owner, attacker.id, { isHeardBefore: false });
  const { body } = await server.tenant.call('POST', stored.repair);
  expect((await fixture.restored(server, body.data.id)).status).toBe('completed');
  const after = await describe(server);
  expect([after.mods, after.kept]).toEqual([manageChannels, ['Keys', 'Mods']]);
  const { members } = await guildOf(server);
  const held = members.find(({ user }: Member) => user.id === alt.id).roles;
  expect([held.includes(mods.id), held.includes(pink.id)]).toEqual([false, true]);
});

test('where the audit log does not reach back to the backup nobody is given anything by it, and the owner reads what', async () => {
  const community = await newCommunity();
  const { server, owner, guild, mods, keys, vault } = community;
  await fixture.takeBackup(server);
  await owner.call('DELETE', `${guild}/members/${demoted}/roles/${mods.id}`);
  await owner.call('DELETE', `/channels/${vault.id}/permissions/${keys.id}`);
  const attacker = newPerson();
  await deleteAll(community, attacker);
  const stored = await storeAttack(server, owner, attacker.id, { isHeardBefore: false });
  await simulator.control('POST', '/faults', {
    match: { method: 'GET', route: '/guilds/:id/audit-logs', guildId: server.guildId },
    times: 1000,
    when: 'before',
    action: 'status',
    status: 403,
    body: { code: 50013, message: 'Missing Permissions' },
  });
  const { body } = await server.tenant.call('POST', stored.repair);
  const restore = await fixture.restored(server, body.data.id);
  expect(await describe(server)).toEqual({
    // Of the role itself the log of its deletion tells enough.
    mods: manageChannels,
    vault: [],
    demoted: ['Keys'],
    kept: ['Keys'],
    options: [['Any', ['Pink']]],
  });
  expect(restore.notes).toEqual([
    expect.stringContaining('does not tell everything that was changed between'),
    'Nobody gets access to channel vault by the backup.',
    'Role Mods is not given to 2 members who had it.',
  ]);
});

type GivesPower = (community: Community, attacker: Person) => Promise<unknown>;
const waysToPower: [name: string, role: string, give: GivesPower][] = [
  [
    'by a permission',
    'Pink',
    ({ owner, guild, pink }) =>
      owner.call('PATCH', `${guild}/roles/${pink.id}`, { permissions: manageChannels }),
  ],
  [
    'by an overwrite',
    'Pink',
    ({ owner, pink, vault }) =>
      owner.call('PUT', `/channels/${vault.id}/permissions/${pink.id}`, {
        ...{ type: 0, allow: manageChannels, deny: '0' },
      }),
  ],
  [
    'once the repair has made it again',
    'Mods',
    ({ guild, mods }, attacker) => attacker.call('DELETE', `${guild}/roles/${mods.id}`),
  ],
];

/** Somebody takes all questions of the onboarding away. */
const askNothing = async ({ server, guild }: Community, attacker: Person) => {
  const { default_channel_ids } = (await guildOf(server)).onboarding;
  const nothing = { prompts: [], default_channel_ids, enabled: true, mode: 0 };
  await attacker.call('PUT', `${guild}/onboarding`, nothing);
};

const withoutRole = (name: string) =>
  `The onboarding option Any does not give the role ${name}, because this role has dangerous permissions now.`;

test.each(waysToPower)(
  'no option of the onboarding gets a role that has power %s',
  async (_, name, givePower) => {
    const community = await newCommunity();
    const { server, owner, offer } = community;
    await offer([named((await guildOf(server)).roles, name)?.id ?? '']);
    await fixture.takeBackup(server);
    const attacker = newPerson();
    await askNothing(community, attacker);
    await givePower(community, attacker);
    const { after, restore } = await repair(server, owner, attacker);
    expect(after.options).toEqual([['Any', []]]);
    expect(restore.notes).toEqual([withoutRole(name)]);
  },
);

test('no option gets a role that has power from attackers, although the repair takes it from the role', async () => {
  const community = await newCommunity();
  const { server, owner, guild, pink } = community;
  await fixture.takeBackup(server);
  const attacker = newPerson();
  await askNothing(community, attacker);
  await attacker.call('PATCH', `${guild}/roles/${pink.id}`, { permissions: manageChannels });
  const stored = await storeAttack(server, owner, attacker.id, { isHeardBefore: false });
  const { body } = await server.tenant.call('POST', stored.repair);
  const { notes } = await fixture.restored(server, body.data.id);
  expect(notes).toEqual([withoutRole('Pink')]);
  expect((await describe(server)).options).toEqual([['Any', []]]);
});

test('a preview reads a part of a long audit log and says so, and the repair reads all of it', async () => {
  const community = await newCommunity();
  const { server, owner, guild, mods, vault } = community;
  await fixture.takeBackup(server);
  await owner.call('DELETE', `${guild}/members/${demoted}/roles/${mods.id}`);
  for (let from = 0; from < 1100; from += 50) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        owner.call('PATCH', `/channels/${vault.id}`, { topic: `Note ${from + index}` }),
      ),
    );
  }
  const attacker = newPerson();
  await attacker.call('DELETE', `${guild}/roles/${mods.id}`);
  const stored = await storeAttack(server, owner, attacker.id, { isHeardBefore: false });
  const plan = (await server.tenant.call('GET', `${stored.repair}-plan`)).body.data;
  expect(plan.notes).toContain('Role Mods is not given to 2 members who had it.');
  const { body } = await server.tenant.call('POST', stored.repair);
  const restore = await fixture.restored(server, body.data.id);
  expect([restore.status, restore.notes]).toEqual(['completed', []]);
  const { demoted: hers, kept: his } = await describe(server);
  expect([hers, his]).toEqual([['Keys'], ['Keys', 'Mods']]);
});
