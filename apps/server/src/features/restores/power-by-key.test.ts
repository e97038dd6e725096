import { describe, expect, test } from 'bun:test';
import { type OwnedGuild, startBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { openDashboard, openWithFactor } from '../../../test/harness/dashboard/session.ts';

const { simulator, fixture, service } = await startBackupFixture({ doesWork: true });

const crew = { id: '7001', name: 'Crew', permissions: '0', position: 1 };
const captain = { id: '7002', name: 'Captain', permissions: '8', position: 2 };
const sailor = '666';
const deck = { id: '7101', type: 0, name: 'deck', position: 0, permission_overwrites: [] };
const rules = { ...deck, id: '7102', name: 'rules' };
/** As many as the platform wants to show to newcomers. */
const holds = [3, 4, 5, 6, 7, 8].map((hold) => ({
  ...deck,
  id: `710${hold}`,
  name: `hold-${hold}`,
}));
const option = (roleIds: string[]) => ({
  id: '7202',
  title: 'Sail',
  description: null,
  emoji: null,
  channel_ids: [deck.id],
  role_ids: roleIds,
});
const prompt = (roleIds: string[]) => ({
  id: '7201',
  type: 0,
  title: 'What for?',
  single_select: false,
  required: false,
  in_onboarding: true,
  options: [option(roleIds)],
});
const harbour = {
  guild: {
    name: 'Harbour',
    features: ['COMMUNITY'],
    rules_channel_id: rules.id,
    public_updates_channel_id: rules.id,
  },
  roles: [crew, captain],
  channels: [deck, rules, ...holds],
  members: [{ user: { id: sailor, username: 'mallory' }, roles: [crew.id] }],
  onboarding: {
    enabled: true,
    mode: 0,
    default_channel_ids: [deck, ...holds].map(({ id }) => id),
    prompts: [prompt([crew.id])],
  },
};

type Guild = {
  roles: { id: string; name: string; permissions: string }[];
  channels: { name: string; permission_overwrites: { id: string; allow: string }[] }[];
  members: { user: { id: string }; roles: string[] }[];
  onboarding: typeof harbour.onboarding;
};
const guildOf = ({ guildId }: OwnedGuild): Promise<Guild> =>
  simulator.control('GET', `/guilds/${guildId}`);

const change = async (server: OwnedGuild, edit: (guild: Guild) => object) => {
  const guild = await guildOf(server);
  await simulator.control('PUT', `/guilds/${server.guildId}`, { ...guild, ...edit(guild) });
};

/** What somebody could do in the guild by its roles, channels, people and onboarding. */
const powersIn = async (server: OwnedGuild) => {
  const { roles, channels, members, onboarding } = await guildOf(server);
  const namesOf = (ids: readonly string[] = []) =>
    ids.map((id) => roles.find((role) => role.id === id)?.name);
  return {
    crew: roles.find(({ name }) => name === 'Crew')?.permissions,
    deck: channels
      .filter(({ name }) => name === 'deck')
      .flatMap(({ permission_overwrites }) => permission_overwrites.map(({ allow }) => allow))
      .filter((allow) => allow !== '0'),
    sailor: namesOf(members.find(({ user }) => user.id === sailor)?.roles),
    option: namesOf(onboarding.prompts[0]?.options[0]?.role_ids),
  };
};

const harmless = { crew: '0', deck: [], sailor: ['Crew'], option: ['Crew'] };

const newKeyOf = (server: OwnedGuild) =>
  service.newKey(server.tenant, ['backups:read', 'backups:write', 'backups:restore']);
type Caller = Awaited<ReturnType<typeof newKeyOf>>;

/** A document of the server in which crew, everybody on deck, and newcomers have power. */
const importPower = async (server: OwnedGuild, key: Caller): Promise<string> => {
  const base = await fixture.takeBackup(server);
  const path = fixture.backupsOf(server.serverId);
  const document = (await key.call('GET', `${path}/${base.id}/document`)).body.data;
  for (const role of document.roles) {
    if (role.name === 'Crew') role.permissions = ['ADMINISTRATOR'];
  }
  for (const channel of document.channels) {
    if (channel.name !== 'deck') continue;
    channel.overwrites = [{ role: '@everyone', allow: ['MANAGE_WEBHOOKS'] }];
  }
  document.onboarding.prompts[0].options[0].roles = ['Captain'];
  const body = { document, baseBackupId: base.id };
  const asked = await key.call('POST', `${path}/import`, { body });
  expect(asked.status).toBe(202);
  return (await fixture.ended(server, asked.body.data.id)).id;
};

const alertsOf = async ({ tenant }: OwnedGuild): Promise<string[]> =>
  (await tenant.call('GET', '/api/v1/alerts')).body.data
    .filter(({ kind }: { kind: string }) => kind === 'INCIDENT')
    .map(({ title, detail }: { title: string; detail: string }) => `${title} ${detail}`);

const restore = async (server: OwnedGuild, key: Caller, backupId: string, body: object) => {
  const path = `${fixture.backupsOf(server.serverId)}/${backupId}`;
  const plan = await key.call('POST', `${path}/plan`, { body });
  const asked = await key.call('POST', `${path}/restore`, { body });
  expect([plan.status, asked.status]).toEqual([200, 202]);
  const restored = await fixture.restored(server, asked.body.data.id);
  return { plan: plan.body.data, restored };
};

const warningOf = (thing: string) =>
  expect.stringMatching(new RegExp(`${thing}.*only by a person, in the dashboard`));

describe('a document that gives power', () => {
  test.each(['REPAIR', 'REPLACE'])('gives none by a key, in mode %s', async (mode) => {
    const server = await fixture.newServer(harbour);
    const key = await newKeyOf(server);
    const imported = await importPower(server, key);
    const { plan, restored } = await restore(server, key, imported, { mode });
    expect(await powersIn(server)).toEqual({ ...harmless, option: [] });
    for (const { warnings } of [plan, restored]) {
      expect(warnings).toContainEqual(warningOf('role Crew: Crew would get ADMINISTRATOR'));
      expect(warnings).toContainEqual(
        warningOf('channel deck: @everyone would get MANAGE_WEBHOOKS'),
      );
      expect(warnings).toContainEqual(
        warningOf('the onboarding: people would get Captain .ADMINISTRATOR.'),
      );
      expect(warnings.filter((one: string) => one.includes('only by a person'))).toHaveLength(3);
    }
    expect(restored.status).toBe('partial');
  });

  test('gives it by a person with a second factor, and by nobody without one', async () => {
    const server = await fixture.newServer(harbour);
    const imported = await importPower(server, await newKeyOf(server));
    const path = `/servers/${server.serverId}/backups/${imported}`;
    const body = { mode: 'REPAIR' };
    const bare = await openDashboard(service, server.tenant);
    const asked = await bare.call('POST', `${path}/restore`, body);
    await fixture.restored(server, asked.body.data.id);
    expect(await powersIn(server)).toEqual({ ...harmless, option: [] });
    const browser = await openWithFactor(service, server.tenant);
    const plan = await browser.call('POST', `${path}/plan`, body);
    expect(plan.body.data.warnings).not.toContainEqual(warningOf(''));
    const again = await browser.call('POST', `${path}/restore`, body);
    const restored = await fixture.restored(server, again.body.data.id);
    expect(restored.status).toBe('completed');
    expect(await powersIn(server)).toEqual({
      crew: '8',
      deck: [String(1 << 29)],
      sailor: ['Crew'],
      option: ['Captain'],
    });
  });

  test('changes by a key what gives nobody power, and leaves the power that there is', async () => {
    const server = await fixture.newServer(harbour);
    const key = await newKeyOf(server);
    const base = await fixture.takeBackup(server);
    const path = fixture.backupsOf(server.serverId);
    const document = (await key.call('GET', `${path}/${base.id}/document`)).body.data;
    for (const role of document.roles) {
      if (role.name === 'Captain') role.permissions = ['BAN_MEMBERS'];
      if (role.name === 'Crew') role.color = '#1f8b4c';
    }
    const body = { document, baseBackupId: base.id };
    const asked = await key.call('POST', `${path}/import`, { body });
    const { id } = await fixture.ended(server, asked.body.data.id);
    const { restored } = await restore(server, key, id, { mode: 'REPAIR' });
    expect([restored.status, restored.warnings]).toEqual(['completed', []]);
    const { roles } = await guildOf(server);
    expect(roles.find(({ name }) => name === 'Captain')?.permissions).toBe('4');
  });
});

describe('a backup of the server itself comes back by a key', () => {
  test('as it was, and the owner is told who gets power by it', async () => {
    const server = await fixture.newServer({
      ...harbour,
      members: [{ user: { id: sailor, username: 'mallory' }, roles: [captain.id] }],
      roles: [{ ...crew, permissions: '2' }, captain],
      onboarding: { ...harbour.onboarding, enabled: false },
    });
    const backup = await fixture.takeBackup(server);
    await change(server, ({ roles, members }) => ({
      roles: roles.map((role) => (role.name === 'Crew' ? { ...role, permissions: '0' } : role)),
      members: members.map((one) => (one.user.id === sailor ? { ...one, roles: [] } : one)),
    }));
    const key = await newKeyOf(server);
    const { restored } = await restore(server, key, backup.id, { mode: 'REPAIR' });
    expect(restored.status).toBe('completed');
    expect(await powersIn(server)).toMatchObject({ crew: '2', sailor: ['Captain'] });
    const alerts = await alertsOf(server);
    expect(alerts).toEqual([expect.stringContaining('“Crew” (KICK_MEMBERS)')]);
    expect(alerts).toEqual([expect.stringContaining('“Captain” (ADMINISTRATOR)')]);
    expect(alerts).toEqual([expect.stringMatching(/by the API key “[^”]+”/)]);
  });

  /** So many that the plan is made aside. */
  const many = Array.from({ length: 1000 }, (_, at) => ({
    ...{ id: String(900_000 + at), type: 1, allow: '0', deny: '2048' },
  }));
  const crowded = { id: '7500', name: 'crowded', permission_overwrites: many };
  test.each<[string, object[]]>([
    ['a small server', harbour.channels],
    ['a large server', [...harbour.channels, crowded]],
  ])('with roles that are made anew in %s, which is told too', async (_, channels) => {
    const server = await fixture.newServer({ ...harbour, channels });
    const backup = await fixture.takeBackup(server);
    await change(server, ({ roles }) => ({
      roles: roles.filter(({ name }) => name !== 'Captain'),
    }));
    await restore(server, await newKeyOf(server), backup.id, { mode: 'REPAIR' });
    expect(await alertsOf(server)).toEqual([expect.stringContaining('“Captain” (ADMINISTRATOR)')]);
  });

  test('and nothing is told where nobody gets power, or where a person asked for it', async () => {
    const server = await fixture.newServer(harbour);
    const backup = await fixture.takeBackup(server);
    await restore(server, await newKeyOf(server), backup.id, { mode: 'REPLACE' });
    await change(server, ({ roles }) => ({
      roles: roles.filter(({ name }) => name !== 'Captain'),
    }));
    const browser = await openDashboard(service, server.tenant);
    const path = `/servers/${server.serverId}/backups/${backup.id}/restore`;
    const asked = await browser.call('POST', path, { mode: 'REPAIR' });
    await fixture.restored(server, asked.body.data.id);
    expect(await alertsOf(server)).toEqual([]);
  });
});
