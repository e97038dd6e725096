import { expect } from 'bun:test';
import { startBackupFixture } from '../backups/fixture.ts';
import type { Tenant } from '../service.ts';

/** A service with all its work, for the tests of one file, and what an owner does with backups. */
export const startRestoringService = async () => {
  const { simulator, service, fixture } = await startBackupFixture({ doesWork: true });
  const { backupsOf } = fixture;

  return {
    ...{ simulator, service, backupsOf },

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
