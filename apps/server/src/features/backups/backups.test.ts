import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { backupComponents } from '@holdfast/contract';
import { auditOf } from '../../../test/harness/api-calls.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import {
  randomPlatformId,
  startTestService,
  type Tenant,
  type TestService,
} from '../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../test/harness/simulator/start.ts';
import { noneErased } from './erasure/redact.ts';
import { createObjectReader } from './objects/read-objects.ts';
import { readSnapshot } from './snapshot/read-snapshot.ts';

let simulator: TestSimulator;
let service: TestService;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({ doesWork: true });
});
afterAll(() => service.stop());

const backupsOf = (serverId: string) => `/api/v1/servers/${serverId}/backups`;

const newServer = async () => {
  const tenant = await service.newTenant();
  const guildId = randomPlatformId();
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  return { tenant, guildId, serverId };
};

const ended = (tenant: Tenant, serverId: string, backupId: string) =>
  eventually(20_000, async () => {
    const { data } = (await tenant.call('GET', `${backupsOf(serverId)}/${backupId}`)).body;
    expect(data.status).toBeOneOf(['completed', 'failed']);
    return data;
  });

const takeBackup = async (tenant: Tenant, serverId: string, body: object = {}) => {
  const created = await tenant.call('POST', backupsOf(serverId), { body });
  expect(created.status).toBe(202);
  return ended(tenant, serverId, created.body.data.id);
};

describe('a backup', () => {
  test('is queued at once, and completed when everything it holds was read back', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const created = await tenant.call('POST', backupsOf(serverId));
    expect(created.status).toBe(202);
    expect(created.body.data).toMatchObject({
      serverId,
      kind: 'MANUAL',
      status: 'queued',
      progress: 0,
      components: backupComponents.filter((name) => name !== 'messages' && name !== 'threads'),
      checksum: null,
      restorable: null,
    });
    expect(created.body.data.name).toMatch(/^Backup \d{4}-.*Z$/);

    const backup = await ended(tenant, serverId, created.body.data.id);
    const guild = await simulator.control('GET', `/guilds/${guildId}`);
    expect(backup).toMatchObject({
      status: 'completed',
      progress: 100,
      warnings: [],
      error: null,
      suspicious: false,
      counts: {
        roles: guild.roles.length,
        channels: guild.channels.length,
        emojis: guild.emojis.length,
        stickers: guild.stickers.length,
        bans: guild.bans.length,
        members: guild.members.length,
        automod: guild.automod.length,
        onboarding: guild.onboarding.prompts.length,
        threads: 0,
        messages: 0,
      },
    });
    expect(backup.sizeBytes).toBeGreaterThan(0);
    expect(backup.storedBytes).toBeGreaterThan(0);
    const changes = { serverId, name: backup.name };
    expect((await auditOf(tenant)).data.slice(0, 2)).toMatchObject([
      { action: 'backup.complete', changes },
      { action: 'backup.create', changes },
    ]);
  });

  test('asks the platform as little as it can', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const since = (await simulator.control('GET', '/log')).at(-1).seq;
    await takeBackup(tenant, serverId);
    const calls = (await simulator.control('GET', `/log?since=${since}`))
      .filter((call: { guildId: string }) => call.guildId === guildId)
      .map(({ method, route }: { method: string; route: string }) => `${method} ${route}`);
    expect(calls.toSorted()).toEqual([
      'GET /guilds/:id',
      'GET /guilds/:id/auto-moderation/rules',
      'GET /guilds/:id/bans',
      'GET /guilds/:id/channels',
      'GET /guilds/:id/invites',
      'GET /guilds/:id/members',
      'GET /guilds/:id/onboarding',
      'GET /guilds/:id/scheduled-events',
      'GET /guilds/:id/soundboard-sounds',
      'GET /guilds/:id/webhooks',
      'GET /guilds/:id/welcome-screen',
    ]);
  });

  test('of an unchanged server adds nothing', async () => {
    const { tenant, serverId } = await newServer();
    const first = await takeBackup(tenant, serverId);
    const second = await takeBackup(tenant, serverId);
    expect(second).toMatchObject({
      status: 'completed',
      checksum: first.checksum,
      sizeBytes: first.sizeBytes,
      storedBytes: 0,
    });
  });

  test('holds what was there, pictures included', async () => {
    const { tenant, guildId, serverId } = await newServer();
    const { checksum } = await takeBackup(tenant, serverId);
    const read = createObjectReader(service.db, service.blobs, tenant.accountId);
    const snapshot = await readSnapshot(
      read,
      checksum,
      ['settings', 'roles', 'emojis'],
      noneErased,
    );
    expect(snapshot.guildId).toBe(guildId);
    const [emoji] = snapshot.emojis ?? [];
    expect((await read(emoji?.image?.hash ?? '')).length).toBeGreaterThan(0);
    const guild = await simulator.control('GET', `/guilds/${guildId}`);
    const names = (entries: { name: string }[] = []) => entries.map(({ name }) => name).toSorted();
    expect(names(snapshot.roles)).toEqual(names(guild.roles));
  });

  test('with messages holds the newest of each channel', async () => {
    const { tenant, serverId } = await newServer();
    const backup = await takeBackup(tenant, serverId, {
      components: ['channels', 'messages'],
      messagesPerChannel: 2,
    });
    expect(backup.status).toBe('completed');
    expect(backup.counts.messages).toBeGreaterThan(0);
  });

  test('of a server whose bot may not see it fails, and says why', async () => {
    const { tenant, guildId, serverId } = await newServer();
    await simulator.control('PUT', `/guilds/${guildId}`, { botAccess: { isMember: false } });
    const backup = await takeBackup(tenant, serverId);
    expect(backup).toMatchObject({ status: 'failed', checksum: null, storedBytes: 0 });
    expect(backup.error).toContain('bot');
  });
});
