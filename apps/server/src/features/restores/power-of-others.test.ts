import { describe, expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { openWithFactor } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { permission } from '../../platform/permissions.ts';

const { simulator, fixture, service } = await startBackupFixture({ doesWork: true });

const mallory = '666';
const manageWebhooks = String(1 << 29);
const captain = { id: '7002', name: 'Captain', permissions: '8', position: 2 };
const crew = { id: '7001', name: 'Crew', permissions: '0', position: 1 };
const deck = { id: '7101', type: 0, name: 'deck', permission_overwrites: [] };
const person = (id: string, ...roles: string[]) => ({ user: { id, username: `u${id}` }, roles });
const harbour = {
  roles: [crew, captain],
  channels: [deck],
  members: [person(mallory, crew.id), person('777', captain.id)],
};

/** A guild of somebody else, in which mallory has power by a role and by channels. */
const lair = {
  roles: [
    { id: '9001', name: 'Helm', permissions: '8', position: 2 },
    { id: '9002', name: 'Rats', permissions: '0', position: 1 },
  ],
  channels: [
    {
      ...{ id: '9101', type: 0, name: 'hole' },
      permission_overwrites: [
        { id: mallory, type: 1, allow: manageWebhooks, deny: '0' },
        { id: '9002', type: 0, allow: manageWebhooks, deny: '0' },
      ],
    },
  ],
  members: [person(mallory, '9001', '9002')],
};

type Guild = {
  roles: { id: string; name: string; permissions: string }[];
  channels: { permission_overwrites: { id: string; type: number; allow: string }[] }[];
  members: { user: { id: string }; roles: string[] }[];
};
const guildOf = (guildId: string): Promise<Guild> => simulator.control('GET', `/guilds/${guildId}`);

const change = async ({ guildId }: OwnedGuild, edit: (guild: Guild) => object) => {
  const guild = await guildOf(guildId);
  await simulator.control('PUT', `/guilds/${guildId}`, { ...guild, ...edit(guild) });
};

/** What mallory can do by their roles and by the channels. */
const powerOfMallory = async (guildId: string) => {
  const { roles, channels, members } = await guildOf(guildId);
  const held = members.find(({ user }) => user.id === mallory)?.roles ?? [];
  const overwrites = channels.flatMap(({ permission_overwrites }) => permission_overwrites);
  return {
    roles: roles.filter(({ id, permissions }) => held.includes(id) && permissions !== '0'),
    channels: overwrites.filter(
      ({ id, allow }) => [mallory, guildId, ...held].includes(id) && allow !== '0',
    ),
  };
};
const none = { roles: [], channels: [] };

const permissionsOf = async (guildId: string, name: string) =>
  (await guildOf(guildId)).roles
    .filter((role) => role.name === name)
    .map((role) => role.permissions);

const newKeyOf = ({ tenant }: OwnedGuild) =>
  service.newKey(tenant, ['servers:write', 'backups:read', 'backups:write', 'backups:restore']);
type Caller = Awaited<ReturnType<typeof newKeyOf>>;

const restore = async (from: OwnedGuild, key: Caller, backupId: string, body: object) => {
  const path = `${fixture.backupsOf(from.serverId)}/${backupId}`;
  const plan = await key.call('POST', `${path}/plan`, { body });
  const asked = await key.call('POST', `${path}/restore`, { body });
  expect([plan.status, asked.status]).toEqual([200, 202]);
  const restored = await fixture.restored(from, asked.body.data.id);
  return { plan: plan.body.data, restored };
};

const move = async (key: Caller, { serverId }: OwnedGuild, platformGuildId: string) => {
  const moved = await key.call('PUT', `/api/v1/servers/${serverId}`, { body: { platformGuildId } });
  expect(moved.status).toBe(200);
};

const withheld = (thing: string) =>
  expect.stringMatching(new RegExp(`${thing}.*only by a person, in the dashboard`));

describe('a backup of another guild, by a key,', () => {
  test.each(['REPAIR', 'REPLACE'])('gives nobody power, in mode %s, and says so', async (mode) => {
    const server = await fixture.newServer(harbour);
    const other = await fixture.newServer(lair, server.tenant);
    const backup = await fixture.takeBackup(other);
    const key = await newKeyOf(server);
    const body = { targetServerId: server.serverId, mode };
    const { plan, restored } = await restore(other, key, backup.id, body);
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    expect(restored.status).toBe('partial');
    for (const { warnings } of [plan, restored]) {
      expect(warnings).toContainEqual(withheld('people would get Helm, Rats .ADMINISTRATOR'));
      expect(warnings).toContainEqual(withheld(`${mallory} would get MANAGE_WEBHOOKS`));
    }
    // What nobody has gives nobody power.
    expect(await permissionsOf(server.guildId, 'Helm')).toEqual(['8']);
  });

  test('gives none where the record of a server was moved to make it look like its own', async () => {
    const server = await fixture.newServer(harbour);
    const other = await fixture.newServer(lair, server.tenant);
    const backup = await fixture.takeBackup(other);
    const key = await newKeyOf(server);
    await move(key, server, randomPlatformId());
    await move(key, other, server.guildId);
    await restore(other, key, backup.id, { mode: 'REPAIR' });
    expect(await powerOfMallory(server.guildId)).toEqual(none);
  });

  test('gives a role that it made before no power once somebody has it', async () => {
    const server = await fixture.newServer(harbour);
    const other = await fixture.newServer(
      { ...lair, roles: lair.roles.map((role) => ({ ...role, permissions: '0' })), channels: [] },
      server.tenant,
    );
    const key = await newKeyOf(server);
    const body = { targetServerId: server.serverId, mode: 'REPAIR' };
    const tame = await fixture.takeBackup(other);
    await restore(other, key, tame.id, body);
    expect((await guildOf(server.guildId)).members[0]?.roles).toHaveLength(3);
    await change(other, () => ({ roles: lair.roles, channels: lair.channels }));
    const wild = await fixture.takeBackup(other);
    const { restored } = await restore(other, key, wild.id, body);
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    expect(restored.warnings).toContainEqual(withheld('role Helm: Helm would get ADMINISTRATOR'));
    expect(restored.warnings).toContainEqual(withheld('Rats would get MANAGE_WEBHOOKS'));
  });

  test('brings a lost community back whole into a new guild, also at the second try', async () => {
    const lost = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(lost);
    const target = await fixture.newServer({}, lost.tenant);
    const key = await newKeyOf(lost);
    const body = { targetServerId: target.serverId };
    const first = await restore(lost, key, backup.id, body);
    expect([first.restored.status, first.restored.warnings]).toEqual(['completed', []]);
    expect(await permissionsOf(target.guildId, 'Captain')).toEqual(['8']);
    await change(target, ({ roles }) => ({
      roles: roles.map((role) => (role.name === 'Captain' ? { ...role, permissions: '0' } : role)),
    }));
    const again = await restore(lost, key, backup.id, { ...body, mode: 'REPAIR' });
    expect(again.restored.status).toBe('completed');
    expect(await permissionsOf(target.guildId, 'Captain')).toEqual(['8']);
  });
});

test('a person with a second factor gives power by a backup of another guild', async () => {
  const server = await fixture.newServer(harbour);
  const other = await fixture.newServer(lair, server.tenant);
  const backup = await fixture.takeBackup(other);
  const browser = await openWithFactor(service, server.tenant);
  const path = `/servers/${other.serverId}/backups/${backup.id}/restore`;
  const body = { targetServerId: server.serverId, mode: 'REPAIR' };
  const asked = await browser.call('POST', path, body);
  expect((await fixture.restored(other, asked.body.data.id)).status).toBe('completed');
  const power = await powerOfMallory(server.guildId);
  expect(power.roles.map(({ name }) => name)).toEqual(['Helm']);
  expect(power.channels).toHaveLength(2);
});

/** The record is moved away, and another takes its place. */
const recordInPlaceOf = async ({ tenant, serverId, guildId }: OwnedGuild): Promise<string> => {
  const path = `/api/v1/servers/${serverId}`;
  const { customBotId } = (await tenant.call('GET', path)).body.data;
  const elsewhere = { platformGuildId: randomPlatformId() };
  expect((await tenant.call('PUT', path, { body: elsewhere })).status).toBe(200);
  const body = { platformGuildId: guildId, customBotId, name: 'Harbour again' };
  const made = await tenant.call('POST', '/api/v1/servers', { body });
  expect(made.status).toBe(201);
  return made.body.data.id;
};

describe('a backup of the guild itself, by a key,', () => {
  test.each([
    ['all that it holds', {}],
    ['roles alone', { components: ['roles'] }],
  ])('gives no power to who got a role since, restoring %s', async (_, what) => {
    const server = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(server);
    // A document can make a role harmless, and then everybody can be given it.
    await change(server, ({ roles }) => ({
      roles: roles.map((role) => (role.name === 'Captain' ? { ...role, permissions: '0' } : role)),
      members: [person(mallory, captain.id), person('777', captain.id)],
    }));
    const key = await newKeyOf(server);
    const { plan, restored } = await restore(server, key, backup.id, { mode: 'REPAIR', ...what });
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    for (const { warnings } of [plan, restored]) {
      expect(warnings).toContainEqual(withheld('role Captain: Captain would get ADMINISTRATOR'));
    }
  });

  test('gives stripped roles back, also where the owner of the guild took one, and to bots their own', async () => {
    const pilot = {
      ...{ id: '7003', name: 'Pilot', permissions: '8192', position: 3, managed: true },
      tags: { bot_id: '999' },
    };
    const bot = { user: { id: '999', username: 'pilot', bot: true }, roles: [pilot.id] };
    const server = await fixture.newServer({
      ...harbour,
      guild: { owner_id: '888' },
      roles: [crew, captain, pilot],
      members: [person('777', captain.id), person('888'), bot],
    });
    const backup = await fixture.takeBackup(server);
    await change(server, ({ roles, members }) => ({
      roles: roles.map((role) =>
        [captain.id, pilot.id].includes(role.id) ? { ...role, permissions: '0' } : role,
      ),
      members: members.map((one) => (one.user.id === '888' ? person('888', captain.id) : one)),
    }));
    const key = await newKeyOf(server);
    const { restored } = await restore(server, key, backup.id, { mode: 'REPAIR' });
    expect(restored.steps).toEqual({ total: 2, done: 2, failed: 0 });
    expect(await permissionsOf(server.guildId, 'Captain')).toEqual(['8']);
    expect(await permissionsOf(server.guildId, 'Pilot')).toEqual(['8192']);
  });

  test('makes a deleted role anew, whoever made another of its name', async () => {
    const server = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(server);
    const namesake = { ...captain, id: '7009', permissions: '0' };
    await change(server, () => ({
      roles: [crew, namesake],
      members: [person(mallory, namesake.id), person('777')],
    }));
    const key = await newKeyOf(server);
    const { restored } = await restore(server, key, backup.id, { mode: 'REPAIR' });
    expect(restored.status).toBe('completed');
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    expect((await permissionsOf(server.guildId, 'Captain')).toSorted()).toEqual(['0', '8']);
  });

  test('gives nobody a role as powerful as it was not when they had it', async () => {
    const server = await fixture.newServer({
      ...harbour,
      roles: [crew, { ...captain, permissions: '0' }],
      members: [person(mallory, captain.id)],
    });
    const backup = await fixture.takeBackup(server);
    await change(server, () => ({ roles: [crew, captain], members: [person(mallory)] }));
    const key = await newKeyOf(server);
    const body = { mode: 'REPAIR', components: ['memberRoles'] };
    const { restored } = await restore(server, key, backup.id, body);
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    expect(restored.warnings).toContainEqual(withheld('people would get Captain'));
  });

  const manageRoles = String(permission.manageRoles);
  const giving = [{ id: crew.id, type: 0, allow: manageRoles, deny: '0' }];
  const giver = { ...deck, permission_overwrites: giving };
  const hold = { ...deck, id: '7102', name: 'hold' };
  test.each<[string, object, string[]]>([
    [
      'nobody a role that had its power in a channel and has it in the server',
      { roles: [{ ...crew, permissions: manageRoles }, captain] },
      [],
    ],
    [
      'nobody a role that had its power in another channel',
      { channels: [giver, { ...hold, permission_overwrites: giving }] },
      [],
    ],
    ['a role back that has its power where it had it', {}, [crew.id]],
  ])('gives %s', async (_, since, given) => {
    const server = await fixture.newServer({ ...harbour, channels: [giver, hold] });
    const backup = await fixture.takeBackup(server);
    await change(server, () => ({ ...since, members: [person(mallory)] }));
    const key = await newKeyOf(server);
    const body = { mode: 'REPAIR', components: ['memberRoles'] };
    const { restored } = await restore(server, key, backup.id, body);
    const { members } = await guildOf(server.guildId);
    expect(members.find(({ user }) => user.id === mallory)?.roles).toEqual(given);
    const warnings = given.length > 0 ? [] : [withheld('people would get Crew')];
    expect(restored.warnings).toEqual(warnings);
  });

  test('gives nobody power in a channel that is closed to who has it in the server', async () => {
    const helper = { ...crew, permissions: manageRoles };
    const server = await fixture.newServer({
      ...harbour,
      ...{ roles: [helper, captain], channels: [giver], members: [] },
    });
    const backup = await fixture.takeBackup(server);
    const closed = { id: server.guildId, type: 0, allow: '0', deny: manageRoles };
    await change(server, () => ({
      channels: [{ ...deck, permission_overwrites: [closed] }],
      members: [person(mallory, crew.id)],
    }));
    const key = await newKeyOf(server);
    const body = { mode: 'REPAIR', components: ['channels'] };
    const { restored } = await restore(server, key, backup.id, body);
    expect((await powerOfMallory(server.guildId)).channels).toEqual([]);
    expect(restored.warnings).toContainEqual(withheld('Crew would get MANAGE_ROLES'));
  });

  test.each([
    ['gives nobody a role while it is still harmless and about to get its power', false],
    ['gives nobody such a role by another record of the guild, after its own was moved', true],
  ])('%s', async (_, isMoved) => {
    const server = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(server);
    await change(server, ({ roles, members }) => ({
      roles: roles.filter(({ name }) => name !== captain.name),
      members: members.map((one) => (one.user.id === '777' ? person('777') : one)),
    }));
    const key = await service.newKey(server.tenant, [
      'servers:write',
      'backups:restore',
      'members:mass-verify',
      'members:read',
    ]);
    await simulator.control('POST', '/faults', {
      match: { method: 'PATCH', route: '/guilds/:id/roles/:id', guildId: server.guildId },
      ...{ when: 'before', action: 'delay', ms: 4000, times: 20 },
    });
    const path = `${fixture.backupsOf(server.serverId)}/${backup.id}/restore`;
    const asked = await key.call('POST', path, { body: { mode: 'REPAIR' } });
    expect(asked.status).toBe(202);
    const verifiedRoleId = await eventually(20_000, async () => {
      const made = (await guildOf(server.guildId)).roles.find(({ name }) => name === captain.name);
      expect(made?.permissions).toBe('0');
      // Its power is on its way: from then on it is not looked at who has the role.
      const faults: { match: object; seen: number }[] = await simulator.control('GET', '/faults');
      const guildId = server.guildId;
      expect(faults).toContainEqual(
        expect.objectContaining({ match: expect.objectContaining({ guildId }), seen: 1 }),
      );
      return made?.id;
    });
    const serverId = isMoved ? await recordInPlaceOf(server) : server.serverId;
    const ofServer = `/api/v1/servers/${serverId}`;
    const chosen = await key.call('PUT', ofServer, { body: { verifiedRoleId } });
    const verify = await key.call('POST', `${ofServer}/mass-verify`, { body: {} });
    expect([chosen.status, verify.status]).toEqual([200, 202]);
    await eventually(20_000, async () => {
      const job = `/api/v1/mass-verifications/${verify.body.data.id}`;
      expect((await key.call('GET', job)).body.data.status).toBeOneOf(['completed', 'failed']);
    });
    const { status } = await fixture.restored(server, asked.body.data.id);
    expect(await powerOfMallory(server.guildId)).toEqual(none);
    expect(await permissionsOf(server.guildId, captain.name)).toEqual(['8']);
    expect(status).toBe('completed');
  });

  test('leaves what is denied to everybody in a channel denied', async () => {
    const permissions = String(permission.manageMessages);
    const server = await fixture.newServer(harbour);
    const { guildId } = server;
    await change(server, ({ roles }) => ({
      roles: roles.map((role) => (role.id === guildId ? { ...role, permissions } : role)),
    }));
    const backup = await fixture.takeBackup(server);
    const denial = { id: guildId, type: 0, allow: '0', deny: permissions };
    await change(server, () => ({ channels: [{ ...deck, permission_overwrites: [denial] }] }));
    const key = await newKeyOf(server);
    const { restored } = await restore(server, key, backup.id, { mode: 'REPAIR' });
    const { channels } = await guildOf(guildId);
    expect(channels.flatMap((one) => one.permission_overwrites)).toMatchObject([denial]);
    expect(restored.warnings).toContainEqual(withheld('@everyone would get MANAGE_MESSAGES'));
  });

  test('gives everybody no power, and gives one person back theirs', async () => {
    const everybody = { name: '@everyone', permissions: String(permission.manageMessages) };
    const allow = { allow: manageWebhooks, deny: '0' };
    const server = await fixture.newServer(harbour);
    await change(server, ({ roles }) => ({
      roles: roles.map((role) => (role.id === server.guildId ? { ...role, ...everybody } : role)),
      channels: [
        {
          ...deck,
          permission_overwrites: [
            { ...allow, id: server.guildId, type: 0 },
            { ...allow, id: '777', type: 1 },
          ],
        },
      ],
    }));
    const backup = await fixture.takeBackup(server);
    await change(server, ({ roles }) => ({
      roles: roles.map((role) =>
        role.id === server.guildId ? { ...role, permissions: '0' } : role,
      ),
      channels: [deck],
    }));
    const key = await newKeyOf(server);
    const { plan, restored } = await restore(server, key, backup.id, { mode: 'REPAIR' });
    expect(await permissionsOf(server.guildId, '@everyone')).toEqual(['0']);
    const { channels } = await guildOf(server.guildId);
    const powerful = channels
      .flatMap(({ permission_overwrites }) => permission_overwrites)
      .filter((one) => one.allow !== '0');
    expect(powerful.map(({ id }) => id)).toEqual(['777']);
    for (const { warnings } of [plan, restored]) {
      expect(warnings).toContainEqual(withheld('@everyone would get MANAGE_MESSAGES'));
      expect(warnings).toContainEqual(withheld('@everyone would get MANAGE_WEBHOOKS'));
    }
  });
});
