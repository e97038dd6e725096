import { expect, test } from 'bun:test';
import { Registry } from 'prom-client';
import { startBackupFixture } from '../../../../test/harness/backups/fixture.ts';
import { backupDependencies, holdLease } from '../../../../test/harness/backups/run-backup.ts';
import { storeGoodBackup, storeIncident } from '../../../../test/harness/protection.ts';
import { plansWithoutRateLimit, randomPlatformId } from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createBreaker, onBehalfOf } from '../../../platform/client/breaker.ts';
import { createPlatformMetrics } from '../../../platform/metrics.ts';
import { createPlatform } from '../../../platform/platform.ts';
import { createPlanTable } from '../../plans/rules.ts';
import { containIncident } from './contain.ts';
import { createProtectionMetrics } from './metrics.ts';

/** No job runs: what is queued stays so. */
const { service, fixture, simulator } = await startBackupFixture();

/** It may kick. */
const mate = { id: '7003', name: 'Mate', permissions: '2' };

/** A server under attack, and its containment by a process whose breaker has counted these refusals. */
const attacked = async (refusals: { usual: number; urgent: number }) => {
  const { tenant, serverId, guildId } = await fixture.newServer();
  const { accountId } = tenant;
  const owner = { db: service.db, accountId };
  await storeGoodBackup(owner, serverId);
  const incident = { guildId, status: 'open' as const, containedAt: null };
  const platformId = randomPlatformId();
  const executor = { status: 'pending' as const, stoppedAt: null, rolesTaken: [], platformId };
  // The bot comes back above all roles.
  await simulator.control('PUT', `/guilds/${guildId}`, {
    roles: [mate],
    members: [{ user: { id: platformId }, roles: [mate.id] }],
  });
  const { id } = await storeIncident(owner, serverId, { incident, executor });
  const breaker = createBreaker({ accountShare: 10, reserve: { accountShare: 5 } });
  const refuse = async (times: number, isUrgent: boolean) => {
    for (let count = 0; count < times; count++) {
      const send = async () => new Response(null, { status: 403 });
      await onBehalfOf(accountId, () => breaker.admit({ accountId, isUrgent }, send));
    }
  };
  await refuse(refusals.usual, false);
  await refuse(refusals.urgent, true);
  const dependencies = {
    ...backupDependencies(service, simulator.apiUrl),
    platform: createPlatform({
      ...{ apiUrl: simulator.apiUrl, cdnUrl: simulator.apiUrl, breaker },
      metrics: createPlatformMetrics(new Registry()),
    }),
    clock: systemClock,
    limitsOf: createPlanTable(plansWithoutRateLimit).limitsOf,
    protectionMetrics: createProtectionMetrics(new Registry()),
  };
  const lease = await holdLease(service, `contain:${id}`);
  const contain = async (): Promise<unknown> => {
    const run = { lease, signal: AbortSignal.timeout(30_000) };
    const failure = await containIncident(dependencies, { accountId, incidentId: id }, run).catch(
      (error: unknown) => error,
    );
    return failure;
  };
  const executors = async () =>
    (await tenant.call('GET', `/api/v1/incidents/${id}`)).body.data.executors;
  return { contain, executors, tenant };
};

test('an attacker is stopped although the account has used up its refusals', async () => {
  const { contain, executors } = await attacked({ usual: 10, urgent: 0 });
  expect(await contain()).toBeUndefined();
  expect(await executors()).toMatchObject([
    { stoppedAt: expect.any(String), rolesTaken: [mate.id], notStopped: null },
  ]);
});

test('a stop that is held back is told to the owner, once, with what to do', async () => {
  const { contain, tenant } = await attacked({ usual: 10, urgent: 5 });
  for (let round = 0; round < 3; round++) {
    expect(await contain()).toMatchObject({ kind: 'breakerOpen' });
  }
  const { data } = (await tenant.call('GET', '/api/v1/alerts')).body;
  const heldBack = data.filter(({ title }: { title: string }) => title.includes('not be stopped'));
  expect(heldBack).toHaveLength(1);
  expect(heldBack[0]).toMatchObject({
    kind: 'INCIDENT',
    detail: expect.stringContaining('take the roles of whoever attacks yourself'),
  });
  expect(data).toHaveLength(2);
});
