import { jobEntry } from '../../queue/job.ts';
import {
  runRepair,
  runRepairJob,
  runRestore,
  runRestoreJob,
  testBackup,
  testBackupJob,
  testBackups,
  testBackupsJob,
} from './jobs.ts';
import { isBackupInUse, purgeRestores } from './queries/restores.ts';
import { restoreDashboardHandlers, restoreHandlers } from './routes.ts';
import { createComparison } from './run/compare.ts';
import { createPreview } from './run/preview.ts';
import { redactJournals } from './run/redact.ts';
import { createWebhookAddressReader } from './run/webhook-addresses.ts';

/**
 * Restores: bring a guild to the state of a backup, and prove that every backup is restorable.
 *
 * - `plan/` computes the steps, without a call: `plan-restore.ts` joins its parts (`roles.ts`,
 *   `channels.ts`, `settings.ts` …), `action.ts` is what a step does, `loss.ts` what cannot come back.
 *   `plan/parts/` plans what surrounds channels and roles.
 *   It imports neither `run/` nor `verify/`.
 * - `run/` carries a plan out: `execute.ts` is the whole run, `prepare.ts` all before the first change,
 *   `run-steps.ts` the journal, `run-step.ts` the call of one step, `verify-result.ts` the end.
 * - `verify/` compares a guild with a snapshot (`differences.ts`) and restores a backup into a guild in
 *   memory (`test-restore.ts`, `model-guild.ts`).
 * - `run/preview.ts` plans without running, for the API; `run/compare.ts` plans over another backup. `rules.ts` has the states of a restore.
 */
export const restores = {
  handlers: restoreHandlers,
  dashboardHandlers: restoreDashboardHandlers,
  createPreview,
  createComparison,
  createWebhookAddressReader,
  jobs: [
    jobEntry(runRestore, runRestoreJob),
    jobEntry(runRepair, runRepairJob),
    jobEntry(testBackup, testBackupJob),
    jobEntry(testBackups, testBackupsJob),
  ],
  purgeServer: [purgeRestores],
  isBackupInUse,
  redactJournals,
};
