import { z } from 'zod';
import type { Database, Queryable, Transaction } from '../db/connect.ts';
import { accountDeletion } from '../features/account-deletion/feature.ts';
import { accounts } from '../features/accounts/feature.ts';
import { findPlan } from '../features/accounts/queries.ts';
import { alerts } from '../features/alerts/feature.ts';
import { analytics } from '../features/analytics/feature.ts';
import { backups } from '../features/backups/feature.ts';
import type { BackupOwner } from '../features/backups/queries.ts';
import { retainBackups } from '../features/backups/schedule/jobs.ts';
import { createCardClient } from '../features/billing/card/client.ts';
import type { BillingSettings } from '../features/billing/events/process-event.ts';
import { billing } from '../features/billing/feature.ts';
import { bots } from '../features/bots/feature.ts';
import { deviceLogin } from '../features/device-login/feature.ts';
import { drills } from '../features/drills/feature.ts';
import { firewall } from '../features/firewall/feature.ts';
import { gateway } from '../features/gateway/feature.ts';
import { health } from '../features/health/feature.ts';
import { marketplace } from '../features/marketplace/feature.ts';
import { massVerifications } from '../features/mass-verifications/feature.ts';
import { me } from '../features/me/feature.ts';
import { members } from '../features/members/feature.ts';
import { setTokenStatus } from '../features/members/queries/person.ts';
import { panels } from '../features/panels/feature.ts';
import type { PlanTable } from '../features/plans/rules.ts';
import type { ProtectionMetrics } from '../features/protection/contain/metrics.ts';
import { protection } from '../features/protection/feature.ts';
import { findExecutorNames } from '../features/protection/queries/executors.ts';
import { pulls } from '../features/pulls/feature.ts';
import type { PullPauses } from '../features/pulls/run/pull-run.ts';
import { rejoins } from '../features/rejoins/feature.ts';
import { restores } from '../features/restores/feature.ts';
import { testBackup } from '../features/restores/jobs.ts';
import { servers } from '../features/servers/feature.ts';
import { findServerNames } from '../features/servers/queries.ts';
import { sessions } from '../features/sessions/feature.ts';
import { uploads } from '../features/uploads/feature.ts';
import { vault } from '../features/vault/feature.ts';
import { verification } from '../features/verification/feature.ts';
import { whitelist } from '../features/whitelist/feature.ts';
import { deleteExpiredAnswers } from '../http/queries.ts';
import type { SealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import type { Mailer } from '../integrations/mailer.ts';
import type { Aside } from '../kernel/aside.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { PlatformOAuth } from '../platform/oauth/port.ts';
import type { Platform } from '../platform/port.ts';
import { type Job, type JobDefinition, type JobEntry, jobEntry } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { PayAccess } from './payments.ts';
import { type SelfBackup, selfBackup, selfBackupJob } from './self-backup/job.ts';

type JobDependencies = {
  db: Database;
  ring: KeyRing;
  platform: Platform;
  oauth: PlatformOAuth;
  blobs: SealedBlobs;
  aside: Aside;
  queue: Pick<Queue, 'enqueue'>;
  plans: PlanTable;
  billing: BillingSettings;
  pay: PayAccess;
  mailer: Mailer;
  baseUrl: string;
  runsDrills: boolean;
  selfBackup?: SelfBackup | undefined;
  clock: Clock;
  log: Log;
  protectionMetrics: ProtectionMetrics;
  /** Replaces the default pauses of pulls, in tests. */
  pullPauses?: PullPauses;
  /** Replaces the time in which alerts are grouped, in tests. */
  alertWindowMs?: number;
};

const expireAnswers = { name: 'http.expire-answers', payload: z.object({}) };
const expireAnswersJob = ({ db }: JobDependencies): Job => ({
  ...expireAnswers,
  cron: '9-59/10 * * * *',
  run: () => deleteExpiredAnswers(db),
});

const rewrapSecrets = { name: 'seal.rewrap', payload: z.object({}) };
const rewrapSecretsJob = ({ db, ring, blobs, log }: JobDependencies): Job => ({
  ...rewrapSecrets,
  cron: '17 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const onBroken = (err: Error) => log.error({ err }, 'a secret cannot be re-wrapped');
    const rewrapped =
      (await bots.rewrap(db, ring, onBroken)) +
      (await accounts.rewrap(db, ring, onBroken)) +
      (await sessions.rewrap(db, ring, onBroken)) +
      (await vault.rewrap(db, ring, { signal, onBroken })) +
      (await pulls.rewrap(db, ring, onBroken)) +
      (await backups.rewrap(db, ring, blobs, { signal, onBroken }));
    if (rewrapped > 0) log.info({ rewrapped, keyId: ring.sealingKeyId }, 'secrets re-wrapped');
  },
});

type Composed = ReturnType<typeof compose>;

const entries: JobEntry<Composed>[] = [
  ...alerts.jobs,
  ...servers.jobs,
  ...panels.jobs,
  ...accountDeletion.jobs,
  ...bots.jobs,
  ...gateway.jobs,
  ...backups.jobs,
  ...restores.jobs,
  ...health.jobs,
  ...pulls.jobs,
  ...massVerifications.jobs,
  ...protection.jobs,
  ...rejoins.jobs,
  ...vault.jobs,
  ...members.jobs,
  ...sessions.jobs,
  ...deviceLogin.jobs,
  ...verification.jobs,
  ...billing.jobs,
  ...marketplace.jobs,
  ...drills.jobs,
  ...uploads.jobs,
  ...analytics.jobs,
  jobEntry(expireAnswers, expireAnswersJob),
  jobEntry(rewrapSecrets, rewrapSecretsJob),
  jobEntry(selfBackup, selfBackupJob),
];

/** What a process needs to enqueue jobs without running them. */
export const jobDefinitions: readonly JobDefinition<object>[] = entries;

export const createJobs = (dependencies: JobDependencies): Job[] => {
  const composed = compose(dependencies);
  return entries.map(({ create }) => create(composed));
};

/** Adds what a feature needs from the features above it. */
const compose = (dependencies: JobDependencies) => {
  const { queue, plans, pay } = dependencies;
  const card = pay.card && createCardClient(pay.card);
  return {
    ...dependencies,
    limitsOf: plans.limitsOf,
    card,
    orders: marketplace.orderPayments({ ...dependencies, canReturn: card !== undefined }),
    setTokenStatus,
    findServerNames,
    findExecutorNames,
    postToLogChannel: (
      server: { accountId: string; serverId: string },
      message: { id: string; text: string },
    ) => servers.postLogMessage(dependencies, server, message),
    purgers: [
      ...protection.purgeServer,
      ...massVerifications.purgeServer,
      ...pulls.purgeServer,
      ...restores.purgeServer,
      ...backups.purgeServer(queue),
      ...analytics.purgeServer,
      ...verification.purgeServer,
      ...panels.purgeServer,
      ...uploads.purgeServer,
      ...me.purgeServer,
      ...firewall.purgeServer,
      ...whitelist.purgeServer,
      // After everything that can raise one.
      ...alerts.purgeServer,
      ...servers.purgeServer,
    ],
    async storageLimitOf(db: Queryable, accountId: string) {
      return plans.limitsOf((await findPlan(db, accountId)) ?? 'FREE').maxStorageBytes;
    },
    async onCompleted(tx: Transaction, backup: BackupOwner & { serverId: string; kind: string }) {
      const { accountId, backupId, serverId, kind } = backup;
      // A few seconds later, so that backups that are due now go first.
      await queue.enqueue(tx, testBackup, { accountId, backupId }, { startAfterSeconds: 5 });
      if (kind === 'SCHEDULED') await queue.enqueue(tx, retainBackups, { accountId, serverId });
    },
    ...health.create(dependencies),
    onRestoreEnded: protection.followRestoreEnd(dependencies),
    completeUndoScope: protection.completeUndoScope,
    judgeCapture: health.judgeCapture,
    listPanelMessages: panels.listMessages,
    isHeld: protection.isHeld,
    findHeldBack: protection.findHeldBack,
    isBackupInUse: restores.isBackupInUse,
    onRedacted: (tx: Transaction, owner: BackupOwner) => queue.enqueue(tx, testBackup, owner),
    redactElsewhere: (accountId: string, signal: AbortSignal) =>
      restores.redactJournals(dependencies, accountId, signal),
  };
};
