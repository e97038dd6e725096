import { afterAll, expect } from 'bun:test';
import { createBackupFixture } from '../backups/fixture.ts';
import { startTestService, type Tenant } from '../service.ts';
import { sharedSimulator } from '../simulator/start.ts';

/** A service with all its work, for the tests of one file, and what an owner does with backups. */
export const startRestoringService = async () => {
  const simulator = await sharedSimulator();
  const service = await startTestService({ doesWork: true });
  afterAll(() => service.stop());
  const { backupsOf, ...fixture } = createBackupFixture(service, simulator);

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
