import { Registry } from 'prom-client';
import type { BackupOwner } from '../src/features/backups/queries.ts';
import { type BackupTools, takeBackup } from '../src/features/backups/take-backup.ts';
import { newId } from '../src/kernel/ids.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { cdnUrlOf } from '../src/platform/urls.ts';
import { type HeldLease, keepLease, startStopwatch, usualLeaseTimes } from '../src/queue/lease.ts';
import { endLease, takeLease } from '../src/queue/queries.ts';
import type { TestService } from './harness.ts';

/** What a worker takes backups with, for a test that is the worker itself. */
export const backupToolsOf = (
  service: TestService,
  apiUrl: string,
  limitBytes = Number.MAX_SAFE_INTEGER,
): BackupTools => ({
  ...service,
  platform: createPlatform({
    apiUrl,
    cdnUrl: cdnUrlOf(apiUrl),
    metrics: createPlatformMetrics(new Registry()),
  }),
  storageLimitOf: async () => limitBytes,
  onCompleted: async () => undefined,
});

/** `inFactMs` is for a worker who believes to have more time than the database gave. */
export const holdLease = async (
  { db, log }: Pick<BackupTools, 'db' | 'log'>,
  subject: string,
  inFactMs = usualLeaseTimes.leaseMs,
): Promise<HeldLease> => {
  const entry = { queue: 'test', payload: {}, groupId: null, jobId: newId() };
  const holder = { ...entry, subject, workerId: newId() };
  const age = startStopwatch();
  const fence = await db.transaction((tx) => takeLease(tx, holder, inFactMs));
  if (fence === undefined) throw new Error(`Another holds the lease of ${subject}`);
  return keepLease({ db, log, times: usualLeaseTimes }, { subject, fence, age }, []);
};

export const holdBackupLease = (tools: BackupTools, owner: BackupOwner, inFactMs?: number) =>
  holdLease(tools, `backup:${owner.backupId}`, inFactMs);

/** Without the queue, which lets half a second pass before it looks; under a lease as always. */
export const takeBackupNow = async (tools: BackupTools, owner: BackupOwner): Promise<void> => {
  const lease = await holdBackupLease(tools, owner);
  try {
    await takeBackup(tools, owner, { signal: lease.signal, lease });
  } finally {
    lease.letGo();
    await endLease(tools.db, lease);
  }
};
