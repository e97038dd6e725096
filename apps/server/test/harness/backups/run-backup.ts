import { Registry } from 'prom-client';
import {
  type BackupDependencies,
  executeBackup,
} from '../../../src/features/backups/capture/execute-backup.ts';
import type { BackupOwner } from '../../../src/features/backups/queries.ts';
import { health } from '../../../src/features/health/feature.ts';
import { panels } from '../../../src/features/panels/feature.ts';
import { protection } from '../../../src/features/protection/feature.ts';
import type { RestoreDependencies } from '../../../src/features/restores/run/restore-run.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { cdnUrlOf } from '../../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatform } from '../../../src/platform/platform.ts';
import {
  defaultLeaseTimes,
  type HeldLease,
  keepLease,
  startStopwatch,
} from '../../../src/queue/lease/lease.ts';
import { acquireLease, deleteLease } from '../../../src/queue/queries.ts';
import type { Tenant, TestService } from '../service.ts';

type ToolOptions = { limitBytes?: number; callsPerSecond?: number };

/** A worker's dependencies, for a test that runs the backup itself. */
export const backupDependencies = (
  service: TestService,
  apiUrl: string,
  { limitBytes = Number.MAX_SAFE_INTEGER, callsPerSecond }: ToolOptions = {},
): BackupDependencies &
  Pick<RestoreDependencies, 'onRestoreEnded' | 'completeUndoScope' | 'findHeldBack'> => ({
  ...service,
  platform: createPlatform({
    apiUrl,
    cdnUrl: cdnUrlOf(apiUrl),
    metrics: createPlatformMetrics(new Registry()),
    callsPerSecond,
  }),
  storageLimitOf: async () => limitBytes,
  judgeCapture: health.judgeCapture,
  listPanelMessages: panels.listMessages,
  assessHealth: health.create(service).assessHealth,
  onCompleted: async () => undefined,
  onRestoreEnded: async () => undefined,
  completeUndoScope: protection.completeUndoScope,
  findHeldBack: protection.findHeldBack,
});

/** `inFactMs` is shorter than the usual lease for a worker that wrongly believes it still holds it. */
export const holdLease = async (
  { db, log }: Pick<BackupDependencies, 'db' | 'log'>,
  subject: string,
  inFactMs = defaultLeaseTimes.leaseMs,
): Promise<HeldLease> => {
  const entry = { queue: 'test', payload: {}, groupId: null, jobId: newId() };
  const holder = { ...entry, subject, workerId: newId() };
  const age = startStopwatch();
  const fence = await db.transaction((tx) => acquireLease(tx, holder, inFactMs));
  if (fence === undefined) throw new Error(`Another holds the lease of ${subject}`);
  return keepLease({ db, log, times: defaultLeaseTimes }, { subject, fence, age }, []);
};

export const holdBackupLease = (tools: BackupDependencies, owner: BackupOwner, inFactMs?: number) =>
  holdLease(tools, `backup:${owner.backupId}`, inFactMs);

/** Runs a backup under a lease but without the queue, whose poll takes half a second. */
export const runBackupNow = async (
  tools: BackupDependencies,
  owner: BackupOwner,
): Promise<void> => {
  const lease = await holdBackupLease(tools, owner);
  try {
    await executeBackup(tools, owner, { signal: lease.signal, lease });
  } finally {
    lease.stopRenewing();
    await deleteLease(tools.db, lease);
  }
};

/** A backup that the owner of a server asks for and that is done at once. Gives its id. */
export const takeBackupNow = async (
  { service, simulator }: { service: TestService; simulator: { apiUrl: string } },
  { owner, serverId }: { owner: Tenant; serverId: string },
): Promise<string> => {
  const { body } = await owner.call('POST', `/api/v1/servers/${serverId}/backups`);
  const tools = backupDependencies(service, simulator.apiUrl);
  await runBackupNow(tools, { accountId: owner.accountId, backupId: body.data.id });
  return body.data.id;
};
