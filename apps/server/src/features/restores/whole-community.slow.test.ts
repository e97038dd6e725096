// Takes about 32 s: started before shorter ones.
import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { startRestoringService } from '../../../test/harness/restores/by-owner.ts';
import type { Tenant } from '../../../test/harness/service.ts';
import {
  addCommunity,
  describeCommunity,
  wreckCommunity,
} from '../../../test/harness/simulator/community.ts';

const { simulator, service, backupsOf, newServer, takeBackup, restore } =
  await startRestoringService();

const newCommunity = async (tenant?: Tenant) => {
  const server = await newServer(tenant);
  await addCommunity(simulator, server.guildId);
  return server;
};

type Call = {
  seq: number;
  method: string;
  route: string | null;
  guildId: string;
  applied: boolean;
};

const changesSince = async (guildId: string, since: number): Promise<string[]> =>
  (await simulator.control('GET', `/log?since=${since}`))
    .filter((call: Call) => call.guildId === guildId && call.method !== 'GET' && call.applied)
    .map(({ method, route }: Call) => `${method} ${route}`);
const lastCall = async (): Promise<number> => (await simulator.control('GET', '/log')).at(-1).seq;

const parts = ['automod', 'onboarding', 'welcomeScreen', 'events', 'soundboard', 'webhooks'];

describe('a community with every part', () => {
  test('is counted by component in its backup, and no token of a webhook is kept', async () => {
    const { tenant, serverId } = await newCommunity();
    const backup = await takeBackup(tenant, serverId);
    expect(backup.warnings).toEqual([]);
    expect(backup.components).toEqual(expect.arrayContaining(parts));
    expect(backup.counts).toMatchObject({
      ...{ automod: 2, onboarding: 1, welcomeScreen: 1, events: 2, soundboard: 1, webhooks: 1 },
    });
  });

  test('comes back into the same server, and is proved to be restorable before', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const before = await describeCommunity(simulator, guildId);
    const backup = await takeBackup(tenant, serverId);
    await eventually(20_000, async () => {
      const { data } = (await tenant.call('GET', `${backupsOf(serverId)}/${backup.id}`)).body;
      expect(data).toMatchObject({ restorable: true, warnings: [] });
    });
    await wreckCommunity(simulator, guildId);
    const done = await restore(tenant, serverId, backup.id);
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    expect(done.notes.join()).toMatch(/vanity|Invites/);
    expect(await describeCommunity(simulator, guildId)).toEqual(before);
  }, 240_000);

  test('comes back into another server', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const target = await newServer(tenant);
    const before = await describeCommunity(simulator, guildId);
    const targetState = await simulator.control('GET', `/guilds/${target.guildId}`);
    await simulator.control('PUT', `/guilds/${target.guildId}`, {
      ...targetState,
      guild: {
        ...targetState.guild,
        features: [...new Set([...targetState.guild.features, 'ROLE_ICONS'])],
      },
    });
    const backup = await takeBackup(tenant, serverId);
    const body = { targetServerId: target.serverId };
    const done = await restore(tenant, serverId, backup.id, body);
    const after = await describeCommunity(simulator, target.guildId);
    expect(
      done.warnings.filter((text: string) => /AutoMod|event|sound|webhook|onb|icon/.test(text)),
    ).toEqual([]);
    expect(after).toEqual(before);
    const since = await lastCall();
    const again = await restore(tenant, serverId, backup.id, { ...body, mode: 'REPAIR' });
    expect(again.status).toBe(done.status);
    expect(await changesSince(target.guildId, since)).toEqual([]);
  }, 240_000);

  test('is repaired with no call where nothing changed, and only where something did', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const before = await describeCommunity(simulator, guildId);
    const backup = await takeBackup(tenant, serverId);
    const since = await lastCall();
    const same = await restore(tenant, serverId, backup.id, { mode: 'REPAIR' });
    expect(same).toMatchObject({ status: 'completed', warnings: [], steps: { total: 0 } });
    expect(await changesSince(guildId, since)).toEqual([]);

    await wreckCommunity(simulator, guildId);
    const wreckedAt = await lastCall();
    const done = await restore(tenant, serverId, backup.id, { mode: 'REPAIR' });
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    expect(await describeCommunity(simulator, guildId)).toEqual(before);
    expect((await changesSince(guildId, wreckedAt)).toSorted()).toEqual([
      'PATCH /guilds/:id/roles/:id',
      'PATCH /guilds/:id/welcome-screen',
      'PATCH /guilds/:id/widget',
      'POST /channels/:id/webhooks',
      'POST /guilds/:id/auto-moderation/rules',
      'POST /guilds/:id/auto-moderation/rules',
      'POST /guilds/:id/scheduled-events',
      'POST /guilds/:id/scheduled-events',
      'POST /guilds/:id/soundboard-sounds',
      'PUT /guilds/:id/onboarding',
    ]);
  }, 240_000);

  test('is private again where its onboarding was made to show a private channel to everyone', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const read = () => simulator.control('GET', `/guilds/${guildId}`);
    const whole = await read();
    const shut = { id: guildId, type: 0, allow: '0', deny: '1024' };
    const isDefault = (id: string) => whole.onboarding.default_channel_ids.includes(id);
    const secret = whole.channels.find(
      ({ id, type }: { id: string; type: number }) => type === 0 && !isDefault(id),
    );
    secret.permission_overwrites = [shut];
    await simulator.control('PUT', `/guilds/${guildId}`, whole);
    const before = await describeCommunity(simulator, guildId);
    const backup = await takeBackup(tenant, serverId);
    for (const mode of ['REPAIR', 'REPLACE']) {
      const raided = await read();
      const open = raided.channels.find(({ name }: { name: string }) => name === secret.name);
      open.permission_overwrites = [];
      raided.onboarding.enabled = true;
      raided.onboarding.default_channel_ids.push(open.id);
      await simulator.control('PUT', `/guilds/${guildId}`, raided);
      const done = await restore(tenant, serverId, backup.id, { mode });
      expect(done).toMatchObject({ status: 'completed', warnings: [] });
      expect(await describeCommunity(simulator, guildId)).toEqual(before);
      const { channels } = await read();
      const hidden = channels.find(({ name }: { name: string }) => name === secret.name);
      expect(hidden.permission_overwrites).toEqual([shut]);
    }
  }, 240_000);

  test('is made once when the answers to its creates are lost', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const before = await describeCommunity(simulator, guildId);
    const backup = await takeBackup(tenant, serverId);
    await wreckCommunity(simulator, guildId);
    for (const route of [
      '/guilds/:id/auto-moderation/rules',
      '/guilds/:id/scheduled-events',
      '/guilds/:id/soundboard-sounds',
      '/channels/:id/webhooks',
    ]) {
      const match = { method: 'POST', route, guildId };
      const fault = { match, nth: 1, when: 'afterApply', action: 'reset' };
      await simulator.control('POST', '/faults', fault);
    }
    const done = await restore(tenant, serverId, backup.id, { mode: 'REPAIR' });
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    expect(await describeCommunity(simulator, guildId)).toEqual(before);
  }, 240_000);

  test('keeps its old webhooks through a restore that makes all channels anew', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const tokenOf = async () =>
      (await simulator.control('GET', `/guilds/${guildId}`)).webhooks.map(
        ({ id, token }: { id: string; token: string }) => [id, token],
      );
    const before = await tokenOf();
    const backup = await takeBackup(tenant, serverId);
    const done = await restore(tenant, serverId, backup.id);
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    expect(await tokenOf()).toEqual(before);
  }, 240_000);
});

describe('the addresses of webhooks that a restore made anew', () => {
  test('are shown once, in the dashboard, and stored nowhere', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const backup = await takeBackup(tenant, serverId);
    await wreckCommunity(simulator, guildId);
    const done = await restore(tenant, serverId, backup.id, { mode: 'REPAIR' });
    const { call } = await openDashboard(service, tenant);
    const path = `/restores/${done.id}/webhook-addresses`;
    const readCourse = async () =>
      (await call('GET', `/restores/${done.id}/course`)).body.data.newWebhooks;
    expect(await readCourse()).toEqual({ count: 1, shownAt: null });

    const shown = await call('POST', path);
    expect(shown.status).toBe(200);
    const [webhook] = (await simulator.control('GET', `/guilds/${guildId}`)).webhooks;
    expect(shown.body.data).toEqual([
      {
        ...{ name: 'News', channelId: webhook.channel_id },
        url: expect.stringMatching(new RegExp(`/webhooks/${webhook.id}/${webhook.token}$`)),
      },
    ]);
    expect((await call('POST', path)).status).toBe(409);
    expect(await readCourse()).toEqual({ count: 1, shownAt: expect.any(String) });

    const byKey = await tenant.call('POST', `/api/v1${path}`);
    expect(byKey.status).toBe(404);
    const stranger = await openDashboard(service, await service.newTenant());
    expect((await stranger.call('POST', path)).status).toBe(404);
    const stored = await service.db.execute(sql`
      select r::text || coalesce(s::text, '') as row
      from restores r left join restore_steps s on s.restore_id = r.id where r.id = ${done.id}`);
    expect(JSON.stringify(stored)).not.toContain(webhook.token);
  }, 240_000);
});

describe('a backup of an earlier version', () => {
  test('is listed with zeros for what it does not know, and restored without it', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const before = await describeCommunity(simulator, guildId);
    const components = ['settings', 'roles', 'channels', 'emojis', 'stickers', 'bans'];
    const { id } = await takeBackup(tenant, serverId, { components });
    await service.db.execute(sql`
      update backups set counts = counts - 'automod' - 'webhooks' - 'threads' where id = ${id}`);
    const { data } = (await tenant.call('GET', `${backupsOf(serverId)}/${id}`)).body;
    expect(data.counts).toMatchObject({ automod: 0, webhooks: 0, threads: 0 });
    const done = await restore(tenant, serverId, id, { mode: 'REPAIR', deleteExtra: true });
    expect(done).toMatchObject({ status: 'completed', warnings: [] });
    expect(await describeCommunity(simulator, guildId)).toEqual(before);
  }, 240_000);
});

describe('a part that cannot be had', () => {
  test('is not in the backup, which says why, and not emptied by its restore', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const before = await describeCommunity(simulator, guildId);
    const status = 403;
    const body = { code: 50013, message: 'Missing Permissions' };
    const fault = { when: 'before', action: 'status', status, body };
    const refused = ['auto-moderation/rules', 'webhooks', 'scheduled-events'];
    for (const name of refused) {
      const match = { method: 'GET', route: `/guilds/:id/${name}`, guildId };
      await simulator.control('POST', '/faults', { ...fault, match, times: 1 });
    }
    const backup = await takeBackup(tenant, serverId);
    for (const name of ['automod', 'webhooks', 'events']) {
      expect(backup.components).not.toContain(name);
      expect(backup.counts[name]).toBe(0);
    }
    expect(backup.warnings.toSorted()).toEqual([
      'The AutoMod rules are not in this backup: the bot may not read them without the permission Manage Server',
      'The events are not in this backup: the bot may not read them',
      'The webhooks are not in this backup: the bot may not read them without the permission Manage Webhooks',
    ]);
    const done = await restore(tenant, serverId, backup.id, { mode: 'REPAIR', deleteExtra: true });
    expect(done.status).toBe('completed');
    expect(await describeCommunity(simulator, guildId)).toEqual(before);
  }, 240_000);

  test('is a warning where the platform lets no bot set the onboarding', async () => {
    const { tenant, guildId, serverId } = await newCommunity();
    const backup = await takeBackup(tenant, serverId);
    await wreckCommunity(simulator, guildId);
    await simulator.control('POST', '/faults', {
      match: { method: 'PUT', route: '/guilds/:id/onboarding', guildId },
      ...{ when: 'before', action: 'status', status: 403, times: 1 },
      body: { code: 20001, message: 'Bots cannot use this endpoint' },
    });
    const done = await restore(tenant, serverId, backup.id, { mode: 'REPAIR' });
    expect(done.warnings).toEqual([expect.stringContaining('set it by hand')]);
    expect(done.status).toBe('completed');
  }, 240_000);

  test('is told with the switch to flip where the bot may not list members', async () => {
    const { tenant, serverId } = await newCommunity();
    const { clientId, id } = (await tenant.call('GET', '/api/v1/bots')).body.data[0];
    await simulator.control('PUT', `/bots/${clientId}`, { intents: ['MESSAGE_CONTENT'] });
    const backup = await takeBackup(tenant, serverId);
    expect(backup.components).not.toContain('memberRoles');
    expect(backup.warnings).toEqual([expect.stringContaining('Server Members intent')]);
    const [bot] = (await tenant.call('GET', '/api/v1/bots')).body.data;
    expect(bot).toMatchObject({
      id,
      intents: { granted: ['MESSAGE_CONTENT'], missing: ['GUILD_MEMBERS'] },
    });
  });
});
