import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  type BackupFixture,
  createBackupFixture,
} from '../../../../test/harness/backups/fixture.ts';
import { smallDocument } from '../../../../test/harness/backups/small-document.ts';
import { startTestService, type TestService } from '../../../../test/harness/service.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { expireBackup } from './jobs.ts';

let service: TestService;
let backups: BackupFixture;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run', 'backups.import'] });
  backups = createBackupFixture(service, await sharedSimulator());
});
afterAll(() => service.stop());

test('a temporary backup is in no list, never the last good one, and deleted if its program does not', async () => {
  const server = await backups.newServer();
  const { tenant, serverId } = server;
  const taken = await backups.takeBackup(server);
  const path = backups.backupsOf(serverId);
  const create = async (way: string, body: object) => {
    const reply = await tenant.call('POST', `${path}${way}`, {
      body: { ...body, temporary: true },
    });
    expect(reply.status).toBe(202);
    return backups.ended(server, reply.body.data.id);
  };
  const made = [await create('', {}), await create('/import', { document: smallDocument })];
  for (const backup of made) expect(backup.status).toBe('completed');
  const list = (await tenant.call('GET', path)).body;
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([taken.id]);
  expect(list.pagination.total).toBe(1);
  const { data } = (await tenant.call('GET', `/api/v1/servers/${serverId}`)).body;
  expect(data.lastGoodBackupId).toBe(taken.id);

  const { accountId } = tenant;
  for (const { id } of [...made, taken]) {
    await expireBackup(service, { accountId, backupId: id });
  }
  const statusOf = async ({ id }: { id: string }) =>
    (await tenant.call('GET', `${path}/${id}`)).status;
  expect([...(await Promise.all(made.map(statusOf))), await statusOf(taken)]).toEqual([
    404, 404, 200,
  ]);
  const entries: { action: string }[] = (await auditOf(tenant)).data;
  expect(entries.filter(({ action }) => action === 'backup.expire')).toHaveLength(2);
});
