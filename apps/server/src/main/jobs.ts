import { z } from 'zod';
import type { Database, Queryable, Transaction } from '../db/connect.ts';
import { finishAccount, purgeAccount } from '../features/account-deletion/job-names.ts';
import { finishAccountJob, purgeAccountJob } from '../features/account-deletion/jobs.ts';
import { purgeAnalytics, rollUpAttempts, rollUpAttemptsJob } from '../features/analytics/jobs.ts';
import { freeAccount, purgeBackups } from '../features/backups/free-account.ts';
import {
  freeAccountJob,
  runBackup,
  runBackupJob,
  sweepObjects,
  sweepObjectsJob,
} from '../features/backups/jobs.ts';
import { rewrapObjects } from '../features/backups/objects/rewrap-objects.ts';
import {
  indexPeople,
  redactAccount,
  redactAccounts,
} from '../features/backups/people/job-names.ts';
import {
  indexPeopleJob,
  redactAccountJob,
  redactAccountsJob,
} from '../features/backups/people/jobs.ts';
import type { BackupOwner } from '../features/backups/queries.ts';
import {
  retainBackups,
  retainBackupsJob,
  takeScheduled,
  takeScheduledJob,
} from '../features/backups/schedule/jobs.ts';
import {
  settleWaitingDispute,
  settleWaitingDisputeJob,
} from '../features/billing/disputes/apply-dispute.ts';
import { keepTime, keepTimeJob } from '../features/billing/jobs.ts';
import { sendNoticeJob } from '../features/billing/notices/jobs.ts';
import { sendNotice } from '../features/billing/notices/notify.ts';
import {
  cancelCardSubscription,
  cancelCardSubscriptionJob,
} from '../features/billing/pay/cancel-subscription.ts';
import { createCardActions } from '../features/billing/pay/card-actions.ts';
import { closeCheckout, closeCheckoutJob } from '../features/billing/pay/close-checkout.ts';
import { returnAbandoned, returnAbandonedJob } from '../features/billing/pay/return-abandoned.ts';
import type { BillingSettings } from '../features/billing/tools.ts';
import { checkBot, checkBotJob, checkBots, checkBotsJob } from '../features/bots/jobs.ts';
import { rewrapBots } from '../features/bots/rewrap.ts';
import { firewallRules } from '../features/firewall/table.ts';
import {
  fulfilOrder,
  keepMarketTime,
  returnLatePayment,
} from '../features/marketplace/job-names.ts';
import {
  fulfilOrderJob,
  keepMarketTimeJob,
  returnLatePaymentJob,
} from '../features/marketplace/jobs.ts';
import { createOrderDesk } from '../features/marketplace/orders/desk.ts';
import { purgeMembersAndTokens } from '../features/me/purge/purge-members.ts';
import { markTokens } from '../features/members/person/queries.ts';
import type { PlanTable } from '../features/plans/plans.ts';
import { forgetCalled, forgetCalledJob, runPull, runPullJob } from '../features/pulls/jobs.ts';
import type { PullPauses } from '../features/pulls/pull-work.ts';
import { purgePulls } from '../features/pulls/purge/queries.ts';
import { runRestore, runRestoreJob } from '../features/restores/jobs.ts';
import {
  proveBackup,
  proveBackupJob,
  proveBackups,
  proveBackupsJob,
} from '../features/restores/prove.ts';
import { isBackupInUse, purgeRestores } from '../features/restores/queries.ts';
import { redactJournals } from '../features/restores/redact-journals.ts';
import { purgeRules } from '../features/rules/queries.ts';
import { purgeServer, purgeServerJob } from '../features/servers/jobs.ts';
import {
  refreshServer,
  refreshServerJob,
  refreshServers,
  refreshServersJob,
} from '../features/servers/refresh.ts';
import { forgetSessions, forgetSessionsJob } from '../features/sessions/jobs.ts';
import { rewrapFactors } from '../features/sessions/second-factor/sealed.ts';
import { rewrapHashKeys } from '../features/accounts/hash-key.ts';
import { findPlan } from '../features/accounts/queries.ts';
import {
  refreshDueTokens,
  refreshDueTokensJob,
  revokeTokens,
  revokeTokensJob,
} from '../features/vault/jobs.ts';
import { rewrapTokens } from '../features/vault/rewrap.ts';
import { forgetPast, giveRole, releaseTokens } from '../features/verification/job-names.ts';
import {
  forgetPastJob,
  giveRoleJob,
  releaseTokensJob,
  verificationPurgers,
} from '../features/verification/jobs.ts';
import { whitelistRules } from '../features/whitelist/table.ts';
import { forgetOldAnswers } from '../http/queries.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { SealedBlobs } from '../integrations/blobs/sealed-blobs.ts';
import type { Mailer } from '../integrations/mail/mailer.ts';
import type { Platform } from '../platform/port.ts';
import type { PlatformOAuth } from '../platform/port-oauth.ts';
import type { Job } from '../queue/job.ts';
import type { Queue } from '../queue/queue.ts';
import type { PayAccess } from './payments.ts';

const forgetAnswers = { name: 'http.forget-answers', payload: z.object({}) };
const rewrapSecrets = { name: 'seal.rewrap', payload: z.object({}) };

/** Every kind of queued work by name; a process that only serves the API needs no more. */
export const jobNames = [
  ...[purgeServer, refreshServer, refreshServers],
  ...[checkBot, checkBots],
  ...[runBackup, takeScheduled, retainBackups, freeAccount, sweepObjects],
  ...[redactAccount, redactAccounts, indexPeople],
  ...[runRestore, proveBackup, proveBackups, runPull, forgetCalled],
  ...[giveRole, releaseTokens, forgetPast],
  ...[refreshDueTokens, revokeTokens, forgetSessions],
  ...[purgeAccount, finishAccount],
  ...[sendNotice, keepTime, settleWaitingDispute, cancelCardSubscription, closeCheckout],
  returnAbandoned,
  ...[fulfilOrder, returnLatePayment, keepMarketTime],
  ...[rollUpAttempts, forgetAnswers, rewrapSecrets],
];

export type JobTools = {
  db: Database;
  ring: KeyRing;
  platform: Platform;
  oauth: PlatformOAuth;
  blobs: SealedBlobs;
  queue: Pick<Queue, 'enqueue'>;
  plans: PlanTable;
  billing: BillingSettings;
  pay: PayAccess;
  mailer: Mailer;
  baseUrl: string;
  clock: Clock;
  log: Log;
  /** How long pulls wait, where it is not as long as usual. */
  pullPauses?: PullPauses;
};

/** And how each is done. */
export const createJobs = (tools: JobTools): Job[] => {
  const { db, ring, log } = tools;
  const { limitsOf } = tools.plans;
  const card = tools.pay.card && createCardActions(tools.pay.card);
  const orders = createOrderDesk({ ...tools, canReturn: card !== undefined });
  const vaultTools = { ...tools, clock: systemClock, markTokens };
  const purgers = [
    purgePulls,
    purgeRestores,
    purgeBackups(tools.queue),
    purgeAnalytics,
    ...verificationPurgers,
    purgeMembersAndTokens,
    purgeRules(firewallRules),
    purgeRules(whitelistRules),
  ];
  const backupTools = {
    ...tools,
    async storageLimitOf(from: Queryable, accountId: string) {
      return limitsOf((await findPlan(from, accountId)) ?? 'FREE').maxStorageBytes;
    },
    limitsOf,
    async onCompleted(tx: Transaction, backup: BackupOwner & { serverId: string; kind: string }) {
      const { accountId, backupId, serverId, kind } = backup;
      // A little later: whatever else is to be backed up at this moment goes first.
      await tools.queue.enqueue(tx, proveBackup, { accountId, backupId }, { startAfterSeconds: 5 });
      if (kind === 'SCHEDULED') await tools.queue.enqueue(tx, retainBackups, { accountId, serverId });
    },
  };
  const redactTools = {
    ...tools,
    isBackupInUse,
    async onRedacted(tx: Transaction, owner: BackupOwner) {
      await tools.queue.enqueue(tx, proveBackup, owner);
    },
    redactElsewhere: (accountId: string, signal: AbortSignal) => redactJournals(tools, accountId, signal),
  };
  return [
    purgeServerJob(db, purgers),
    purgeAccountJob(tools),
    finishAccountJob(tools),
    refreshServerJob(tools),
    refreshServersJob(tools),
    checkBotJob(tools),
    checkBotsJob(tools),
    runBackupJob(backupTools),
    takeScheduledJob(backupTools),
    retainBackupsJob(backupTools),
    redactAccountJob(redactTools),
    redactAccountsJob(redactTools),
    indexPeopleJob(redactTools),
    runRestoreJob(backupTools),
    proveBackupJob(backupTools),
    proveBackupsJob(backupTools),
    runPullJob(vaultTools),
    forgetCalledJob(db),
    refreshDueTokensJob(vaultTools),
    revokeTokensJob(tools),
    forgetSessionsJob(db),
    giveRoleJob(tools),
    releaseTokensJob(tools),
    forgetPastJob(tools),
    sendNoticeJob(tools),
    keepTimeJob(tools),
    settleWaitingDisputeJob({ ...tools, orders }),
    cancelCardSubscriptionJob({ card }),
    closeCheckoutJob({ card }),
    returnAbandonedJob({ card, log }),
    fulfilOrderJob(backupTools),
    returnLatePaymentJob({ db, card }),
    keepMarketTimeJob({ ...backupTools, card }),
    rollUpAttemptsJob({ db, clock: systemClock }),
    freeAccountJob(backupTools),
    sweepObjectsJob(backupTools),
    { ...forgetAnswers, cron: '*/10 * * * *', run: () => forgetOldAnswers(db) },
    {
      ...rewrapSecrets,
      cron: '17 * * * *',
      runsAtStart: true,
      async run(_, signal) {
        const onBroken = (err: Error) => log.error({ err }, 'a secret cannot be re-wrapped');
        const rewrapped =
          (await rewrapBots(db, ring, onBroken)) +
          (await rewrapHashKeys(db, ring, onBroken)) +
          (await rewrapFactors(db, ring, onBroken)) +
          (await rewrapTokens(db, ring, { signal, onBroken })) +
          (await rewrapObjects(db, ring, tools.blobs, { signal, onBroken }));
        if (rewrapped > 0) log.info({ rewrapped, keyId: ring.sealingKeyId }, 'secrets re-wrapped');
      },
    },
  ];
};
