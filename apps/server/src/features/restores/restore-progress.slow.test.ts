// Takes about 21 s: started before shorter ones.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type BackupFixture, createBackupFixture } from '../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { sharedSimulator } from '../../../test/harness/simulator/start.ts';

let service: TestService;
let fixture: BackupFixture;
beforeAll(async () => {
  service = await startTestService({ doesWork: ['backups.run', 'restores.run'] });
  fixture = createBackupFixture(service, await sharedSimulator());
});
afterAll(() => service.stop());

/** A server into which the same backup was restored so many times. */
const restoredServer = async (times: number) => {
  const server = await fixture.newServer();
  const backup = await fixture.takeBackup(server);
  const restores = [];
  while (restores.length < times) restores.unshift(await fixture.restore(server, backup.id));
  return { ...server, backup, restores };
};

type Stage = { stage: string; total: number; done: number; failed: number };

test('restores into a server are listed newest first, and only there', async () => {
  const { tenant, serverId, restores } = await restoredServer(2);
  const { call } = await openDashboard(service, tenant);
  const all = (await call('GET', `/servers/${serverId}/restores`)).body;
  expect(all.data).toEqual(restores);
  expect(all.pagination).toMatchObject({ total: 2, totalPages: 1 });
  const second = (await call('GET', `/servers/${serverId}/restores?page=2&limit=1`)).body;
  expect(second.data).toEqual(restores.slice(1));
  const other = await fixture.newServer(undefined, tenant);
  expect((await call('GET', `/servers/${other.serverId}/restores`)).body.data).toEqual([]);
});

test('the progress of a restore has its components and the counts of each stage', async () => {
  const { tenant, serverId, backup, restores } = await restoredServer(1);
  const [{ id, steps, safetyBackupId }] = restores;
  const { call } = await openDashboard(service, tenant);
  const course = (await call('GET', `/restores/${id}/course`)).body.data;
  const { components, stages } = course;
  expect(components).toEqual(backup.components);
  expect(course.backup).toMatchObject({ id: backup.id, serverId, name: backup.name });
  expect(course.safetyBackup).toMatchObject({
    ...{ id: safetyBackupId, serverId, kind: 'PRE_RESTORE', status: 'completed' },
  });
  const names = stages.map(({ stage }: Stage) => stage);
  expect(names.indexOf('build')).toBeLessThan(names.indexOf('deleteChannels'));
  const sumOf = (part: 'total' | 'done' | 'failed') =>
    stages.reduce((sum: number, stage: Stage) => sum + stage[part], 0);
  expect({ total: sumOf('total'), done: sumOf('done'), failed: sumOf('failed') }).toEqual(steps);
});

test('the progress of a restore leaves out a backup that was deleted since', async () => {
  const { tenant, serverId, backup, restores } = await restoredServer(1);
  await fixture.delete({ tenant, serverId, guildId: '' }, backup.id);
  const { call } = await openDashboard(service, tenant);
  const course = (await call('GET', `/restores/${restores[0].id}/course`)).body.data;
  expect([course.backup, course.safetyBackup?.id]).toEqual([null, restores[0].safetyBackupId]);
});

test('restores of another account are not found', async () => {
  const { serverId, restores } = await restoredServer(1);
  const stranger = await openDashboard(service, await service.newTenant());
  const paths = [`/servers/${serverId}/restores`, `/restores/${restores[0].id}/course`];
  for (const path of paths) expect((await stranger.call('GET', path)).status).toBe(404);
});

test('the usage of backups does not count safety backups', async () => {
  const { tenant, backup } = await restoredServer(1);
  const { call } = await openDashboard(service, tenant);
  const usage = (await call('GET', '/backup-usage')).body.data;
  expect(usage.backups).toBe(1);
  expect(usage.storageBytes).toBeGreaterThanOrEqual(backup.storedBytes);
});
