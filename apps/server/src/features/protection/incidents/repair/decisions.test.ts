import { expect, test } from 'bun:test';
import type { PlanName } from '@holdfast/contract';
import { eq } from 'drizzle-orm';
import { startBackupFixture } from '../../../../../test/harness/backups/fixture.ts';
import {
  storeGoodBackup,
  storeIncident,
  storeWave,
} from '../../../../../test/harness/protection.ts';
import { plansWithoutRateLimit } from '../../../../../test/harness/service.ts';
import { newId } from '../../../../kernel/ids.ts';
import { createPlanTable } from '../../../plans/rules.ts';
import { restores } from '../../../restores/table.ts';
import { incidentExecutors, protectionSettings } from '../../table.ts';
import { startAutoRepair } from './auto-repair.ts';
import { followRestoreEnd } from './follow-restore-end.ts';

/** No job runs: what is queued stays so. */
const { service, fixture } = await startBackupFixture();
const { db, queue, log } = service;

type Given = Parameters<typeof storeIncident>[2] & { plan?: PlanName; hasBackup?: boolean };

const attackedServer = async ({ plan, hasBackup = true, ...seed }: Given = {}) => {
  const tenant = await service.newTenant({ plan });
  const { serverId } = await fixture.newServer(undefined, tenant);
  const owner = { db, accountId: tenant.accountId };
  if (hasBackup) await storeGoodBackup(owner, serverId);
  const { id } = await storeIncident(owner, serverId, seed);
  return { tenant, owner, serverId, incidentId: id, path: `/api/v1/incidents/${id}` };
};

const restoresOf = (serverId: string) =>
  db
    .select({ id: restores.id, incidentId: restores.incidentId })
    .from(restores)
    .where(eq(restores.serverId, serverId));

test('a repair is refused where there is nothing to repair, or nothing to repair it from', async () => {
  const refusals: [Given, RegExp][] = [
    [{ incident: { status: 'open' } }, /not contained yet/],
    [
      { incident: { status: 'open' }, executor: { status: 'pending', code: 'OWNER' } },
      /not contained/,
    ],
    [{ incident: { status: 'repaired' } }, /is repaired already/],
    [{ hasBackup: false }, /no good backup/],
  ];
  for (const [given, reason] of refusals) {
    const { tenant, path, serverId } = await attackedServer(given);
    const { status, body } = await tenant.call('POST', `${path}/repair`);
    expect([status, body.error]).toEqual([409, expect.stringMatching(reason)]);
    expect(await restoresOf(serverId)).toEqual([]);
  }
  const { tenant, owner, serverId, path } = await attackedServer();
  const raid = await storeWave(owner, serverId);
  expect((await tenant.call('POST', `/api/v1/incidents/${raid}/repair`)).status).toBe(409);
  const reader = await service.newKey(tenant, ['alerts:read', 'alerts:write', 'backups:read']);
  const stranger = await service.newTenant();
  const statuses = [
    await reader.call('POST', `${path}/repair`),
    await stranger.call('POST', `${path}/repair`),
    await tenant.call('POST', `/api/v1/incidents/${newId()}/repair`),
  ].map(({ status }) => status);
  expect(statuses).toEqual([403, 404, 404]);
  expect(await restoresOf(serverId)).toEqual([]);
});

test('a repair waits in a queue of its own, and every other restore in another', async () => {
  const { tenant, path } = await attackedServer();
  const other = await attackedServer();
  const { body } = await other.tenant.call('GET', `/api/v1/servers/${other.serverId}`);
  const backup = `${fixture.backupsOf(other.serverId)}/${body.data.lastGoodBackupId}`;
  const replies = [
    await tenant.call('POST', `${path}/repair`),
    await other.tenant.call('POST', `${backup}/restore`, { body: {} }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([202, 202]);
  const queues = replies.map(async (reply) => {
    const rows = await db.$client`
      select name from pgboss.job where data ->> 'restoreId' = ${reply.body.data.id}`;
    return rows.map(({ name }: { name: string }) => name);
  });
  expect(await Promise.all(queues)).toEqual([['restores.repair'], ['restores.run']]);
});

test('a repair that waits for the platform is stopped by its own queue', async () => {
  const { tenant, path } = await attackedServer();
  const { id } = (await tenant.call('POST', `${path}/repair`)).body.data;
  await db
    .update(restores)
    .set({ resumesAt: new Date(Date.now() + 3_600_000) })
    .where(eq(restores.id, id));
  expect((await tenant.call('POST', `/api/v1/restores/${id}/cancel`)).status).toBe(200);
  const rows = await db.$client`select name from pgboss.job where data ->> 'restoreId' = ${id}`;
  expect(rows.map(({ name }: { name: string }) => name)).toEqual([
    'restores.repair',
    'restores.repair',
  ]);
});

test('while a repair runs there is no other, the incident stays, and its backup is kept', async () => {
  const { tenant, serverId, incidentId, path } = await attackedServer();
  const { status, body } = await tenant.call('POST', `${path}/repair`);
  expect([status, body.data]).toMatchObject([202, { mode: 'REPAIR', incidentId }]);
  expect((await tenant.call('POST', `${path}/repair`)).status).toBe(409);
  expect((await tenant.call('POST', `${path}/dismiss`)).status).toBe(409);
  const { backupId, id: restoreId } = body.data;
  const backup = `/api/v1/servers/${serverId}/backups/${backupId}`;
  expect((await tenant.call('DELETE', backup)).status).toBe(409);
  expect(await restoresOf(serverId)).toEqual([{ id: restoreId, incidentId }]);
});

test('the incident of a server that is deleted meanwhile cannot be repaired', async () => {
  const { tenant, serverId, path } = await attackedServer();
  expect((await tenant.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  expect((await tenant.call('POST', `${path}/repair`)).status).toBe(404);
  expect(await restoresOf(serverId)).toEqual([]);
});

test.each<[string, Given]>([
  ['that was dismissed', { incident: { status: 'dismissed', endedAt: new Date() } }],
  [
    'in which somebody could not be stopped',
    { incident: { status: 'open' }, executor: { status: 'unstoppable', code: 'OWNER' } },
  ],
])('an incident %s can be repaired, and has ended with that', async (_, given) => {
  const { tenant, serverId, incidentId, path } = await attackedServer(given);
  const { status, body } = await tenant.call('POST', `${path}/repair`);
  expect([status, body.data.incidentId]).toEqual([202, incidentId]);
  const { accountId } = tenant;
  const ended = { accountId, serverId, incidentId, restoreId: body.data.id };
  await db.transaction((tx) => followRestoreEnd({ queue })(tx, { ...ended, status: 'completed' }));
  expect((await tenant.call('GET', path)).body.data).toMatchObject({
    ...{ status: 'repaired', endedAt: expect.any(String) },
  });
});

const { limitsOf } = createPlanTable(plansWithoutRateLimit);

test('a repair starts by itself once, where it is wanted, paid for, and everybody is stopped', async () => {
  const cases: [isStarted: boolean, given: Given, wants: boolean][] = [
    [true, { plan: 'PREMIUM' }, true],
    [true, { plan: 'BUSINESS' }, true],
    [false, { plan: 'FREE' }, true],
    [false, { plan: 'PREMIUM' }, false],
    [false, { plan: 'PREMIUM', executor: { status: 'pending' } }, true],
    [false, { plan: 'PREMIUM', executor: { status: 'unstoppable', code: 'OWNER' } }, true],
    [false, { plan: 'PREMIUM', hasBackup: false }, true],
    [false, { plan: 'PREMIUM', incident: { status: 'dismissed' } }, true],
    [false, { plan: 'PREMIUM', incident: { status: 'open' } }, true],
  ];
  for (const [isStarted, given, autoRepair] of cases) {
    const { tenant, serverId, incidentId, path } = await attackedServer(given);
    const { accountId } = tenant;
    await db.insert(protectionSettings).values({ serverId, accountId, autoRepair });
    const start = () =>
      db.transaction((tx) =>
        startAutoRepair(tx, { queue, limitsOf, log }, { accountId, incidentId }),
      );
    await start();
    const { data } = (await tenant.call('GET', path)).body;
    expect([given, data.repairRestoreId !== null]).toEqual([given, isStarted]);
    await start();
    expect(await restoresOf(serverId)).toHaveLength(isStarted ? 1 : 0);
    if (given.executor?.status !== 'pending') continue;
    // As soon as the last one is stopped.
    await db
      .update(incidentExecutors)
      .set({ status: 'stopped' })
      .where(eq(incidentExecutors.incidentId, incidentId));
    await start();
    expect(await restoresOf(serverId)).toHaveLength(1);
  }
});
