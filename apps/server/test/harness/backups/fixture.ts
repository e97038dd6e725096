import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { createServer } from '../bots-and-servers.ts';
import { eventually } from '../eventually.ts';
import { randomPlatformId, startTestService, type Tenant, type TestService } from '../service.ts';
import { sharedSimulator, type TestSimulator } from '../simulator/start.ts';

export type OwnedGuild = { tenant: Tenant; guildId: string; serverId: string };

/** A service for the tests of one file, and what they do with backups. */
export const startBackupFixture = async (options?: Parameters<typeof startTestService>[0]) => {
  const simulator = await sharedSimulator();
  const service = await startTestService(options);
  afterAll(() => service.stop());
  return { simulator, service, fixture: createBackupFixture(service, simulator) };
};

/** The usual steps of tests about backups, by the API and on the disk. */
export const createBackupFixture = (service: TestService, simulator: TestSimulator) => {
  const backupsOf = (serverId: string) => `/api/v1/servers/${serverId}/backups`;

  const begin = async ({ tenant, serverId }: OwnedGuild, body: object = {}): Promise<string> => {
    const created = await tenant.call('POST', backupsOf(serverId), { body });
    expect(created.status).toBe(202);
    return created.body.data.id;
  };

  const read = async ({ tenant, serverId }: OwnedGuild, backupId: string) =>
    (await tenant.call('GET', `${backupsOf(serverId)}/${backupId}`)).body.data;

  const ended = (server: OwnedGuild, backupId: string) =>
    eventually(20_000, async () => {
      const backup = await read(server, backupId);
      expect(backup.status).toBeOneOf(['completed', 'failed']);
      return backup;
    });

  const restored = ({ tenant }: Pick<OwnedGuild, 'tenant'>, restoreId: string) =>
    eventually(60_000, async () => {
      const { data } = (await tenant.call('GET', `/api/v1/restores/${restoreId}`)).body;
      expect(data.status).not.toBeOneOf(['queued', 'snapshotting', 'running']);
      return data;
    });

  return {
    backupsOf,
    begin,
    read,
    ended,
    restored,

    async newServer(guild?: object, owner?: Tenant): Promise<OwnedGuild> {
      const tenant = owner ?? (await service.newTenant());
      const guildId = randomPlatformId();
      if (guild) await simulator.control('PUT', `/guilds/${guildId}`, guild);
      const serverId = await createServer(tenant, { platformGuildId: guildId });
      return { tenant, guildId, serverId };
    },

    takeBackup: async (server: OwnedGuild, body: object = {}) =>
      ended(server, await begin(server, body)),

    delete: ({ tenant, serverId }: OwnedGuild, backupId: string) =>
      tenant.call('DELETE', `${backupsOf(serverId)}/${backupId}`),

    async restore(server: OwnedGuild, backupId: string) {
      const path = `${backupsOf(server.serverId)}/${backupId}/restore`;
      const reply = await server.tenant.call('POST', path, { body: {} });
      expect(reply.status).toBe(202);
      return restored(server, reply.body.data.id);
    },

    /** The account's storage by its counter, by the rows of its objects, and in the store itself. */
    async storageOf({ tenant: { accountId } }: Pick<OwnedGuild, 'tenant'>) {
      const [row] = await service.db.$client`
        select (select bytes from storage_used where account_id = ${accountId}) as counted,
          (select coalesce(sum(stored_bytes), 0) from blobs where account_id = ${accountId}) as owned,
          (select count(*) from blobs where account_id = ${accountId}) as objects`;
      const files = await Array.fromAsync(service.blobs.list(accountId));
      return {
        countedBytes: Number(row.counted ?? 0),
        ownedBytes: Number(row.owned),
        fileBytes: files.reduce((total, { storedBytes }) => total + storedBytes, 0),
        objects: Number(row.objects),
        files: files.length,
      };
    },

    /** The file of each object of a backup, largest first. */
    async filesOf(backupId: string): Promise<{ path: string; hash: string }[]> {
      const rows: { id: string; account_id: string; hash: string }[] = await service.db.$client`
        select id, account_id, hash from blobs join backup_blobs on blob_id = id
        where backup_id = ${backupId} order by stored_bytes desc, id`;
      return rows.map(({ id, account_id, hash }) => ({
        hash,
        path: join(service.dataDir, 'blobs', account_id, hash.slice(0, 2), `${hash}.${id}`),
      }));
    },
  };
};

export type BackupFixture = ReturnType<typeof createBackupFixture>;

/** The counter, the rows and the files agree. */
export const expectExactStorage = async (
  fixture: BackupFixture,
  server: Pick<OwnedGuild, 'tenant'>,
): Promise<number> => {
  const { countedBytes, ownedBytes, fileBytes, objects, files } = await fixture.storageOf(server);
  expect({ ownedBytes, fileBytes, files }).toEqual({
    ownedBytes: countedBytes,
    fileBytes: countedBytes,
    files: objects,
  });
  return countedBytes;
};
