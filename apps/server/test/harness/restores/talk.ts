import { expect } from 'bun:test';
import { createBackupFixture, type OwnedGuild } from '../backups/fixture.ts';
import { createServer } from '../bots-and-servers.ts';
import { readPins, readTalk, readThreads, talkativeGuild } from '../guilds/talkative-guild.ts';
import { randomPlatformId, type TestService } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';

/** A backup of a talkative guild, to be restored into empty ones. The service runs `backups.run`. */
export const createTalkFixture = async (
  service: TestService,
  simulator: TestSimulator,
  size: Parameters<typeof talkativeGuild>[0],
) => {
  const backups = createBackupFixture(service, simulator);
  const { state } = talkativeGuild(size);
  const server = await backups.newServer(state);
  const components = ['settings', 'roles', 'channels', 'messages', 'threads'];
  const backup = await backups.takeBackup(server, { components });
  expect(backup.status).toBe('completed');

  return {
    async beginRestore() {
      const { tenant, serverId } = server;
      const guildId = randomPlatformId();
      await simulator.control('PUT', `/guilds/${guildId}`, {});
      const targetServerId = await createServer(tenant, { platformGuildId: guildId });
      const path = `${backups.backupsOf(serverId)}/${backup.id}/restore`;
      const reply = await tenant.call('POST', path, { body: { targetServerId, components } });
      expect(reply.status).toBe(202);
      const owner = { accountId: tenant.accountId, restoreId: String(reply.body.data.id) };
      return { owner, target: { tenant, guildId, serverId: targetServerId } };
    },

    /** The restore ended without loss: every message is there once, in its place and in order. */
    async expectWhole(target: OwnedGuild, restoreId: string) {
      const restored = await backups.restored(target, restoreId);
      expect(restored).toMatchObject({ status: 'completed', warnings: [] });
      expect(restored.steps).toMatchObject({ done: restored.steps.total, failed: 0 });
      const after = await simulator.control('GET', `/guilds/${target.guildId}`);
      expect(readTalk(after)).toEqual(readTalk(state));
      expect(readPins(after)).toEqual(readPins(state));
      expect(readThreads(after)).toEqual(readThreads(state));
      expect(after.webhooks).toEqual([]);
    },
  };
};
