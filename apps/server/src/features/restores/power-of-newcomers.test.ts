import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';

setDefaultTimeout(120_000);

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

type Guild = { roles: { id: string; name: string; permissions: string; tags?: object }[] };
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
