import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { OwnedGuild } from '../../../../test/backup-scene.ts';
import { startTestService, type TestService, unhurriedPlans } from '../../../../test/harness.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/simulator.ts';
import { createTemplateScene, type TemplateScene } from '../../../../test/template-scene.ts';
import { dangerous, permission } from '../../../platform/permissions.ts';
import { backups } from '../../backups/table.ts';

let simulator: TestSimulator;
let service: TestService;
let scene: TemplateScene;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({
    plans: unhurriedPlans,
    doesWork: ['backups.run', 'marketplace.fulfil', 'restores.run'],
  });
  scene = createTemplateScene(service, simulator);
}, 30_000);
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

/** Every dangerous permission of the guild that a role that is not a bot's, or a person, has. */
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
  const path = `${scene.backups.backupsOf(serverId)}/${backupId}/plan`;
  return (await tenant.call('POST', path, { body: {} })).body.data;
};

/** A server without any power but its bot's. */
const newHarmlessServer = () => scene.backups.newServer({ channels: [], roles: [] });

const gains = (warnings: string[]) => warnings.filter((words) => words.includes('gains'));

describe('a template whose @everyone was an administrator', () => {
  test('brings no dangerous permission to the buyer’s server', async () => {
    const source = await scene.backups.newServer();
    await makeDangerous(source);
    const { id: backupId } = await scene.backups.takeBackup(source);
    const listing = await source.tenant.call('POST', '/api/v1/marketplace/listings', {
      body: {
        ...{ title: 'Trojan', description: '', category: 'TEMPLATE', priceCents: 0 },
        ...{ currency: 'USD', backupId },
      },
    });
    expect(listing.status).toBe(201);
    const buyer = await newHarmlessServer();
    const { id } = (await scene.order(buyer, listing.body.data.id)).body.data;
    expect((await scene.ended(buyer.tenant, id)).status).toBe('COMPLETED');
    const [delivered] = await scene.delivered(buyer);
    expect(gains((await planOf(buyer, delivered.id)).warnings)).toEqual([]);
    expect((await scene.backups.restore(buyer, delivered.id)).error).toBeNull();
    const after = await guildOf(buyer);
    expect(after.channels.length).toBeGreaterThan(2);
    expect(dangersOf(after)).toEqual([]);
  });

  test('brings none either where it was delivered before they were taken out', async () => {
    const source = await scene.backups.newServer();
    await makeDangerous(source);
    const { id } = await scene.backups.takeBackup(source);
    await service.db.update(backups).set({ kind: 'MARKETPLACE' }).where(eq(backups.id, id));
    const target = await scene.backups.newServer({ channels: [], roles: [] }, source.tenant);
    const path = `${scene.backups.backupsOf(source.serverId)}/${id}`;
    const body = { targetServerId: target.serverId };
    const plan = (await source.tenant.call('POST', `${path}/plan`, { body })).body.data;
    expect(gains(plan.warnings)).toEqual([]);
    const reply = await source.tenant.call('POST', `${path}/restore`, { body });
    expect(reply.status).toBe(202);
    const ended = await scene.backups.restored(source, reply.body.data.id);
    expect(ended.error).toBeNull();
    const after = await guildOf(target);
    expect(after.channels.length).toBeGreaterThan(2);
    expect(dangersOf(after)).toEqual([]);
  });
});

test('a restore that gives @everyone or an existing role power says so in its plan and its record', async () => {
  const server = await scene.backups.newServer();
  const before = await guildOf(server);
  await makeDangerous(server);
  const { id } = await scene.backups.takeBackup(server);
  await simulator.control('PUT', `/guilds/${server.guildId}`, before);
  const { warnings } = await planOf(server, id);
  expect(gains(warnings)).toContain('@everyone gains dangerous permissions: ADMINISTRATOR.');
  expect(gains(warnings).join('\n')).toMatch(
    /^@everyone gains dangerous permissions in #.*: MANAGE_CHANNELS, MANAGE_WEBHOOKS\.$/m,
  );
  const restored = await scene.backups.restore(server, id);
  expect(gains(restored.warnings)).toEqual(gains(warnings));
});
