import { jobEntry } from '../../queue/job.ts';
import type { BackupDependencies } from './capture/execute-backup.ts';
import { runImport, runImportJob } from './document/execute-import.ts';
import { releasePassing, releasePassingJob } from './document/passing-objects.ts';
import {
  indexPeople,
  indexPeopleJob,
  redactAccount,
  redactAccountJob,
  redactAccounts,
  redactAccountsJob,
} from './erasure/jobs.ts';
import { purgeBackups, runBackup, runBackupJob } from './jobs.ts';
import { readStructures, readStructuresJob } from './last-good/jobs.ts';
import {
  releaseStorage,
  releaseStorageJob,
  sweepObjects,
  sweepObjectsJob,
} from './objects/jobs.ts';
import { sealedObjects } from './objects/queries.ts';
import { rewrapObjects } from './objects/rewrap-objects.ts';
import { backupDashboardHandlers, backupHandlers } from './routes.ts';
import { retainBackups, retainBackupsJob, runSchedule, runScheduleJob } from './schedule/jobs.ts';
import { expireTemporary, expireTemporaryJob } from './temporary/jobs.ts';

/**
 * Backups: snapshots of guilds, stored as encrypted objects that equal snapshots share.
 *
 * - `capture/`: `execute-backup` runs a queued backup: it reads the guild (`capture-guild`), writes the
 *   snapshot and ends the backup as completed or failed (`failure-message`).
 * - `snapshot/`: what a snapshot is, and how it is split into objects, written and read.
 * - `objects/`: the content-addressed storage: save, read, release, seal again.
 * - `contents/`: what a backup holds, for the API and the dashboard to show.
 * - `document/`: the structure in a backup as a portable document by names, and a document as a backup.
 * - `schedule/`: creates backups that are due and deletes those that the retention does not keep.
 * - `temporary/`: deletes backups that a program made for itself and did not delete.
 * - `last-good/`: the ids in a backup by which a guild is compared with it, and a job that reads them from
 *   backups of earlier versions. Which backup is the last good one is `findLastGood` in `queries.ts`.
 * - `people/`: what a backup has of some members, without reading all of them.
 * - `erasure/`: finds people in backups and redacts the backups of those who erased themselves.
 *
 * The states of a backup are described in `rules.ts`.
 */
export const backups = {
  handlers: backupHandlers,
  dashboardHandlers: backupDashboardHandlers,
  jobs: [
    jobEntry(runBackup, runBackupJob),
    jobEntry(runImport, runImportJob),
    jobEntry(releasePassing, releasePassingJob),
    jobEntry(expireTemporary, expireTemporaryJob),
    jobEntry(runSchedule, runScheduleJob),
    jobEntry(retainBackups, retainBackupsJob),
    jobEntry(readStructures, readStructuresJob),
    jobEntry(redactAccount, redactAccountJob),
    jobEntry(redactAccounts, redactAccountsJob),
    jobEntry(indexPeople, indexPeopleJob),
    jobEntry(releaseStorage, releaseStorageJob),
    jobEntry(sweepObjects, sweepObjectsJob),
  ],
  purgeServer: (queue: BackupDependencies['queue']) => [purgeBackups(queue)],
  sealedRows: sealedObjects,
  rewrap: rewrapObjects,
};
