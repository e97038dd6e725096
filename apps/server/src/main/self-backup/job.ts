import { Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import { closeDatabase, connectDatabase } from '../../db/connect.ts';
import type { BlobStore } from '../../integrations/blobs/blob-store.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import type { LeasedJob } from '../../queue/job.ts';
import { backUpService } from './backup.ts';
import { listBackups } from './manifest.ts';

/** What SELF_BACKUP_TO, SELF_BACKUP_AT and SELF_BACKUP_KEEP say. */
export type SelfBackup = {
  to: string;
  hour: number;
  minute: number;
  keep: number;
  /** For connections of its own: a backup takes longer than a request may. */
  url: string;
  store: BlobStore;
};

type JobDependencies = {
  selfBackup?: SelfBackup | undefined;
  clock: Clock;
  log: Log;
  ring: KeyRing;
};

export const selfBackup = { name: 'service.back-up', payload: z.object({}) };

/** Under a lease: of all workers one at a time. Without the setting it does nothing. */
export const selfBackupJob = ({
  selfBackup: settings,
  clock,
  log,
  ring,
}: JobDependencies): LeasedJob => ({
  ...selfBackup,
  ...(settings && { cron: `${settings.minute} ${settings.hour} * * *` }),
  subjectOf: () => selfBackup.name,
  async run(_, signal) {
    if (!settings) return;
    const { url, store, to, keep } = settings;
    const db = connectDatabase(url, {
      name: 'holdfast-backup',
      poolSize: 2,
      statementTimeoutMs: 0,
    });
    try {
      const report = await backUpService({ db, store, clock, ring }, { to, keep }, signal);
      log.info(report, 'the service was backed up');
      const { notDeleted } = report;
      if (notDeleted !== undefined) log.warn({ notDeleted }, 'older backups could not be deleted');
    } finally {
      await closeDatabase(db);
    }
  },
});

/** Read from the folder, so that it is true after a restart and for backups by hand. */
export const observeSelfBackup = (registry: Registry, { to }: { to: string }): void => {
  new Gauge({
    name: 'holdfast_self_backup_timestamp_seconds',
    help: 'When the newest backup of the service was begun; 0 where there is none',
    registers: [registry],
    async collect() {
      const [newest] = await listBackups(to);
      this.set((newest?.at.getTime() ?? 0) / 1000);
    },
  });
};
