import { describe, expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { eventually } from '../../../test/harness/eventually.ts';

const { simulator, fixture, service } = await startBackupFixture({ doesWork: true });

const captain = { id: '7002', name: 'Captain', permissions: '8', position: 2 };
const deck = { id: '7101', type: 0, name: 'deck' };
const rules = { ...deck, id: '7102', name: 'rules' };
const harbour = {
  guild: {
    features: ['COMMUNITY'],
    rules_channel_id: rules.id,
    public_updates_channel_id: rules.id,
  },
  roles: [captain],
  channels: [deck, rules],
  members: [],
};

type Guild = {
  roles: { id: string; name: string; permissions: string }[];
  channels: { permission_overwrites: { allow: string }[] }[];
};
const guildOf = (guildId: string): Promise<Guild> => simulator.control('GET', `/guilds/${guildId}`);

const change = async ({ guildId }: OwnedGuild, edit: object) => {
  const guild = await guildOf(guildId);
  await simulator.control('PUT', `/guilds/${guildId}`, { ...guild, ...edit });
};

const changeCaptain = async (server: OwnedGuild, edit: object) => {
  const { roles } = await guildOf(server.guildId);
  const changed = roles.map((role) => (role.name === 'Captain' ? { ...role, ...edit } : role));
  await change(server, { roles: changed });
};

const powerOfCaptain = async ({ guildId }: OwnedGuild) =>
  (await guildOf(guildId)).roles.find(({ name }) => name === 'Captain')?.permissions;

const newKeyOf = ({ tenant }: OwnedGuild) =>
  service.newKey(tenant, ['servers:write', 'backups:read', 'backups:restore']);

const option = { id: '7202', title: 'Sail', channel_ids: [deck.id], role_ids: [captain.id] };
const prompt = { id: '7201', type: 0, title: 'What for?', in_onboarding: true };

describe('a key gives no power to a role', () => {
  test.each<[string, (server: OwnedGuild) => Promise<unknown>]>([
    [
      'that newcomers can give themselves',
      (server) =>
        change(server, {
          onboarding: {
            ...{ enabled: true, mode: 0, default_channel_ids: [deck.id] },
            prompts: [{ ...prompt, options: [option] }],
          },
        }),
    ],
    [
      'that an invite gives',
      (server) =>
        change(server, {
          invites: [{ code: `in${server.guildId}`, channel_id: deck.id, role_ids: [captain.id] }],
        }),
    ],
    [
      'that people have by accounts elsewhere',
      (server) => changeCaptain(server, { tags: { guild_connections: null } }),
    ],
    [
      'that newcomers are verified with',
      async (server) => {
        const body = { verifiedRoleId: captain.id };
        const key = await newKeyOf(server);
        const path = `/api/v1/servers/${server.serverId}`;
        expect((await key.call('PUT', path, { body })).status).toBe(200);
      },
    ],
  ])('%s', async (_, open) => {
    const server = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(server);
    await changeCaptain(server, { permissions: '0' });
    await open(server);
    const key = await newKeyOf(server);
    const path = `${fixture.backupsOf(server.serverId)}/${backup.id}`;
    const body = { mode: 'REPAIR', components: ['roles'] };
    const plan = await key.call('POST', `${path}/plan`, { body });
    const asked = await key.call('POST', `${path}/restore`, { body });
    const restored = await fixture.restored(server, asked.body.data.id);
    expect(await powerOfCaptain(server)).toBe('0');
    for (const { warnings } of [plan.body.data, restored]) {
      expect(warnings).toEqual([expect.stringContaining('Captain would get ADMINISTRATOR')]);
    }
  });
});

describe('a key gives no power to who got a role after the plan was made', () => {
  const mallory = { user: { id: '666', username: 'mallory' } };
  const allow = { id: captain.id, type: 0, allow: '8192', deny: '0' };
  const bridge = { ...deck, id: '7103', name: 'bridge', permission_overwrites: [allow] };
  const crew = { ...captain, id: '7001', name: 'Crew', permissions: '0' };
  test.each([
    ['that is there', [{ ...captain, permissions: '0' }]],
    ['that is made anew', []],
  ])('%s', async (_, roles) => {
    const roleIds = [captain.id, crew.id];
    const server = await fixture.newServer({
      ...harbour,
      roles: [captain, crew],
      channels: [deck, rules, bridge],
      members: [{ user: { id: '777', username: 'kate' }, roles: roleIds }],
    });
    const backup = await fixture.takeBackup(server);
    const { roles: all } = await guildOf(server.guildId);
    await change(server, {
      roles: [...all.filter(({ id }) => !roleIds.includes(id)), ...roles],
      ...{ channels: [deck, rules], members: [] },
    });
    // Roles are made before channels, and get their permissions after these.
    await simulator.control('POST', '/faults', {
      match: { method: 'POST', route: '/guilds/:id/channels', guildId: server.guildId },
      ...{ when: 'before', action: 'delay', ms: 5000, times: 1 },
    });
    const key = await newKeyOf(server);
    const path = `${fixture.backupsOf(server.serverId)}/${backup.id}/restore`;
    const asked = await key.call('POST', path, { body: { mode: 'REPAIR' } });
    const held = await eventually(20_000, async () => {
      const made = (await guildOf(server.guildId)).roles;
      const names = made.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['Captain', 'Crew']));
      return made.find(({ name }) => name === 'Captain')?.id;
    });
    await change(server, { members: [{ ...mallory, roles: [held] }] });
    const { status, warnings } = await fixture.restored(server, asked.body.data.id);
    const { channels } = await guildOf(server.guildId);
    const overwrites = channels.flatMap(({ permission_overwrites }) => permission_overwrites);
    expect(overwrites.filter((one) => one.allow !== '0')).toEqual([]);
    expect([await powerOfCaptain(server), status]).toEqual(['0', 'partial']);
    for (const power of ['ADMINISTRATOR', 'MANAGE_MESSAGES']) {
      expect(warnings).toContainEqual(expect.stringContaining(`Captain would get ${power} by it`));
    }
  });
});
