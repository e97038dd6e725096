import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { OwnedGuild } from '../../../../test/harness/backups/fixture.ts';
import {
  createTemplateFixture,
  type TemplateFixture,
} from '../../../../test/harness/marketplace/templates.ts';
import {
  plansWithoutRateLimit,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';
import { dangerous, permission } from '../../../platform/permissions.ts';
import { backups } from '../../backups/table.ts';

let simulator: TestSimulator;
let service: TestService;
let fixture: TemplateFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({
    plans: plansWithoutRateLimit,
    doesWork: ['backups.run', 'marketplace.deliver', 'restores.run'],
  });
  fixture = createTemplateFixture(service, simulator);
});
afterAll(() => service.stop());

type Overwrite = { id: string; type: number; allow: string; deny: string };
type Guild = {
  roles: { id: string; name: string; permissions: string; managed: boolean }[];
  channels: { id: string; name: string; permission_overwrites: Overwrite[] }[];
};

const guildOf = ({ guildId }: OwnedGuild): Promise<Guild> =>
  simulator.control('GET', `/guilds/${guildId}`);

/** Makes @everyone an administrator, and lets @everyone and one person manage every channel. */
const makeDangerous = async (server: OwnedGuild): Promise<void> => {
  const guild = await guildOf(server);
  const power = (permission.manageChannels | permission.manageWebhooks).toString();
  await simulator.control('PUT', `/guilds/${server.guildId}`, {
    ...guild,
    roles: guild.roles.map((role) =>
      role.id === server.guildId
        ? { ...role, permissions: String(permission.administrator | permission.viewChannel) }
        : role,
    ),
    channels: guild.channels.map((channel) => ({
      ...channel,
      permission_overwrites: [
        { id: server.guildId, type: 0, allow: power, deny: '0' },
        { id: '4242', type: 1, allow: power, deny: '0' },
      ],
    })),
  });
};

/** Every dangerous permission in the guild of a person, or of a role that is not a bot's. */
const dangersOf = ({ roles, channels }: Guild): string[] => [
  ...roles
    .filter(({ managed, permissions }) => !managed && (BigInt(permissions) & dangerous) !== 0n)
    .map(({ name }) => name),
  ...channels.flatMap(({ name, permission_overwrites }) =>
    permission_overwrites
      .filter(({ allow }) => (BigInt(allow) & dangerous) !== 0n)
      .map(({ id }) => `#${name} ${id}`),
  ),
];

const planOf = async ({ tenant, serverId }: OwnedGuild, backupId: string) => {
  const path = `${fixture.backups.backupsOf(serverId)}/${backupId}/plan`;
  return (await tenant.call('POST', path, { body: {} })).body.data;
};

/** A server without dangerous permissions but its bot's. */
const newHarmlessServer = () => fixture.backups.newServer({ channels: [], roles: [] });

const gains = (warnings: string[]) => warnings.filter((words) => words.includes('gains'));

describe('a template whose @everyone was an administrator', () => {
  test('gives no dangerous permission to the buyer’s server', async () => {
    const source = await fixture.backups.newServer();
    await makeDangerous(source);
    const { id: backupId } = await fixture.backups.takeBackup(source);
    const listing = await source.tenant.call('POST', '/api/v1/marketplace/listings', {
      body: {
        ...{ title: 'Trojan', description: '', category: 'TEMPLATE', priceCents: 0 },
        ...{ currency: 'USD', backupId },
      },
    });
    expect(listing.status).toBe(201);
    const buyer = await newHarmlessServer();
    const { id } = (await fixture.order(buyer, listing.body.data.id)).body.data;
    expect((await fixture.ended(buyer.tenant, id)).status).toBe('COMPLETED');
    const [delivered] = await fixture.delivered(buyer);
    expect(gains((await planOf(buyer, delivered.id)).warnings)).toEqual([]);
    expect((await fixture.backups.restore(buyer, delivered.id)).error).toBeNull();
    const after = await guildOf(buyer);
    expect(after.channels.length).toBeGreaterThan(2);
    expect(dangersOf(after)).toEqual([]);
  });

  test('gives none either if it was delivered before they were removed', async () => {
    const source = await fixture.backups.newServer();
    await makeDangerous(source);
    const { id } = await fixture.backups.takeBackup(source);
    await service.db.update(backups).set({ kind: 'MARKETPLACE' }).where(eq(backups.id, id));
    const target = await fixture.backups.newServer({ channels: [], roles: [] }, source.tenant);
    const path = `${fixture.backups.backupsOf(source.serverId)}/${id}`;
    const body = { targetServerId: target.serverId };
    const plan = (await source.tenant.call('POST', `${path}/plan`, { body })).body.data;
    expect(gains(plan.warnings)).toEqual([]);
    const reply = await source.tenant.call('POST', `${path}/restore`, { body });
    expect(reply.status).toBe(202);
    const ended = await fixture.backups.restored(source, reply.body.data.id);
    expect(ended.error).toBeNull();
    const after = await guildOf(target);
    expect(after.channels.length).toBeGreaterThan(2);
    expect(dangersOf(after)).toEqual([]);
  });
});

describe('what protects a server', () => {
  type Levels = { verification_level: number; explicit_content_filter: number };
  const setLevels = async ({ guildId }: OwnedGuild, levels: Levels) => {
    const path = `/guilds/${guildId}`;
    const state = await simulator.control('GET', path);
    await simulator.control('PUT', path, { ...state, guild: { ...state.guild, ...levels } });
  };
  const levelsOf = async ({ guildId }: OwnedGuild): Promise<[number, number]> => {
    const { guild }: { guild: Levels } = await simulator.control('GET', `/guilds/${guildId}`);
    return [guild.verification_level, guild.explicit_content_filter];
  };
  const low = { verification_level: 1, explicit_content_filter: 0 };
  const high = { verification_level: 4, explicit_content_filter: 2 };

  const takeTemplate = async (source: OwnedGuild) => {
    const { id } = await fixture.backups.takeBackup(source);
    await service.db.update(backups).set({ kind: 'MARKETPLACE' }).where(eq(backups.id, id));
    return String(id);
  };

  /** The settings alone: their plan, and their restore. */
  const restoreSettings = async (source: OwnedGuild, id: string, more: object = {}) => {
    const path = `${fixture.backups.backupsOf(source.serverId)}/${id}`;
    const body = { components: ['settings'], ...more };
    const plan = (await source.tenant.call('POST', `${path}/plan`, { body })).body.data;
    const reply = await source.tenant.call('POST', `${path}/restore`, { body });
    expect(reply.status).toBe(202);
    const restore = await fixture.backups.restored(source, reply.body.data.id);
    expect([restore.error, restore.warnings]).toEqual([null, []]);
    const told = (notes: string[]) => notes.filter((note) => note.includes('protection'));
    expect(told(plan.notes)).toEqual(told(restore.notes));
    return { notes: told(plan.notes), changes: JSON.stringify(plan.update) };
  };

  test.each(['REPLACE', 'REPAIR'])('is lowered by no template, which says so: %s', async (mode) => {
    const source = await fixture.backups.newServer();
    await setLevels(source, low);
    const id = await takeTemplate(source);
    await setLevels(source, high);
    const { notes, changes } = await restoreSettings(source, id, { mode });
    expect(notes).toEqual([
      'A template lowers no protection, so the verification level and the content filter of this server stay as they are.',
    ]);
    expect(changes).not.toMatch(/verification_level|explicit_content_filter/);
    expect(await levelsOf(source)).toEqual([4, 2]);
  });

  test('is raised by a template, and comes back as it was with a backup of the server itself', async () => {
    const source = await fixture.backups.newServer();
    await setLevels(source, high);
    const template = await takeTemplate(source);
    await setLevels(source, low);
    const { id } = await fixture.backups.takeBackup(source);
    expect((await restoreSettings(source, template)).notes).toEqual([]);
    expect(await levelsOf(source)).toEqual([4, 2]);
    expect((await restoreSettings(source, String(id))).notes).toEqual([]);
    expect(await levelsOf(source)).toEqual([1, 0]);
  });
});

test('a restore that gives an existing role dangerous permissions says so in its plan and its record', async () => {
  const server = await fixture.backups.newServer();
  const path = `/guilds/${server.guildId}`;
  const before = await guildOf(server);
  const role = before.roles.find(({ id, managed }) => !managed && id !== server.guildId);
  const [everywhere, there] = [permission.administrator, permission.manageWebhooks].map(String);
  await simulator.control('PUT', path, {
    ...before,
    roles: before.roles.map((one) => (one === role ? { ...one, permissions: everywhere } : one)),
    channels: before.channels.map((channel) => ({
      ...channel,
      permission_overwrites: [
        { id: server.guildId, type: 0, allow: there, deny: '0' },
        { id: role?.id, type: 0, allow: there, deny: '0' },
      ],
    })),
  });
  const { id } = await fixture.backups.takeBackup(server);
  await simulator.control('PUT', path, before);
  const { warnings } = await planOf(server, id);
  expect(gains(warnings)).toEqual([
    `Role ${role?.name} gains dangerous permissions: ADMINISTRATOR.`,
    expect.stringMatching(/^Role .* gains dangerous permissions in #.*: MANAGE_WEBHOOKS\.$/),
  ]);
  expect(warnings.join('\n')).toMatch(/^channel .*: @everyone would get MANAGE_WEBHOOKS by it/m);
  const restored = await fixture.backups.restore(server, id);
  expect(gains(restored.warnings)).toEqual(gains(warnings));
});
