import { expect } from 'bun:test';
import { startBackupFixture } from '../backups/fixture.ts';
import type { Tenant } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';

/** A service with all its work, for the tests of one file, and what an owner does with backups. */
export const startRestoringService = async () => {
  const { simulator, service, fixture } = await startBackupFixture({ doesWork: true });
  const { backupsOf } = fixture;

  return {
    ...{ simulator, service, backupsOf },

    guildOf: (guildId: string) => readGuild(simulator, guildId),
    wreck: (guildId: string) => wreckIn(simulator, guildId),

    newServer: (tenant?: Tenant) => fixture.newServer(undefined, tenant),

    async takeBackup(tenant: Tenant, serverId: string, body: object = {}) {
      const backup = await fixture.takeBackup({ tenant, serverId, guildId: '' }, body);
      expect(backup.status).toBe('completed');
      return backup;
    },

    async restore(tenant: Tenant, serverId: string, backupId: string, body: object = {}) {
      const path = `${backupsOf(serverId)}/${backupId}/restore`;
      const reply = await tenant.call('POST', path, { body });
      expect(reply.status).toBe(202);
      return fixture.restored({ tenant }, reply.body.data.id);
    },
  };
};

const readGuild = (
  simulator: TestSimulator,
  guildId: string,
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the simulator shows
): Promise<any> => simulator.control('GET', `/guilds/${guildId}`);

/** Deletes most channels and all roles that can be deleted, and all that refers to them. */
const wreckIn = async (simulator: TestSimulator, guildId: string) => {
  const guild = await readGuild(simulator, guildId);
  const roles = guild.roles.filter(
    ({ id, managed }: { id: string; managed: boolean }) => id === guildId || managed,
  );
  const isLeft = (roleId: string) => roles.some(({ id }: { id: string }) => id === roleId);
  const { rules_channel_id, public_updates_channel_id } = guild.guild;
  await simulator.control('PUT', `/guilds/${guildId}`, {
    ...guild,
    guild: {
      ...guild.guild,
      ...{ system_channel_id: null, afk_channel_id: null },
      ...{ widget_enabled: false, widget_channel_id: null },
    },
    channels: guild.channels
      .filter(({ id }: { id: string }) =>
        [rules_channel_id, public_updates_channel_id].includes(id),
      )
      .map((channel: object) => ({ ...channel, parent_id: null, permission_overwrites: [] })),
    roles,
    members: guild.members.map((member: { roles: string[] }) => ({
      ...member,
      roles: member.roles.filter(isLeft),
    })),
    ...{ bans: [], automod: [], events: [], soundboard: [], webhooks: [] },
    ...{ onboarding: undefined, welcomeScreen: undefined },
  });
  return guild;
};
