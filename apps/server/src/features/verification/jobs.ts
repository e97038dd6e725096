import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { deleteInBatches } from '../../db/queries/purge-rows.ts';
import { inParallel } from '../../kernel/concurrency.ts';
import { type Job, ofAccount } from '../../queue/job.ts';
import { walkOn } from '../../queue/marks/walk-on.ts';
import { deleteFingerprints } from '../members/queries/verified.ts';
import type { LogChannelDependencies } from '../servers/guild/post-log-message.ts';
import { listServersThatWithhold } from '../servers/power/queries.ts';
import { type DiscardDependencies, discardPendingTokens } from './callback/pending-tokens.ts';
import { type AssignDependencies, giveVerifiedRole } from './complete/assign-role.ts';
import { reportMember, reportVerified } from './complete/report-verified.ts';
import { resumeRoles } from './complete/resume-roles.ts';
import { deleteExpiredAuthorizations } from './queries/authorizations.ts';
import { deleteExpiredSolutions } from './queries/captcha.ts';
import { deleteExpiredHashes } from './queries/identity-hashes.ts';
import { deleteExpiredPending, listExpiredWithTokens } from './queries/pending-verifications.ts';
import { deleteEndedChecks } from './queries/raised-checks.ts';

/** Gives a verified member their role. */
export const assignRole = {
  name: 'verification.assign-role',
  payload: z.object({ memberId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 32,
};

export const assignRoleJob = (
  dependencies: AssignDependencies,
): Job<z.output<typeof assignRole.payload>> => ({
  ...assignRole,
  run: (owner) => giveVerifiedRole(dependencies, owner),
});

export const reportVerifiedJob = (
  dependencies: LogChannelDependencies,
): Job<z.output<typeof reportVerified.payload>> => ({
  ...reportVerified,
  run: (member) => reportMember(dependencies, member),
});

/** Gives the role to those who could not get it without getting power. */
export const resumeWithheldRoles = { name: 'verification.resume-roles', payload: z.object({}) };

const serversInARun = 5000;
const serversAtATime = 500;
const serversAtOnce = 8;

export const resumeWithheldRolesJob = (dependencies: AssignDependencies) =>
  ({
    ...resumeWithheldRoles,
    cron: '* * * * *',
    run(_: object, signal: AbortSignal) {
      const { db, queue } = dependencies;
      const look = async (after: string) => {
        const withholding = await listServersThatWithhold(db, after, serversAtATime);
        await inParallel(serversAtOnce, withholding, (server) =>
          resumeRoles(dependencies, server, (tx, member) => queue.enqueue(tx, assignRole, member)),
        );
        const last = withholding.length < serversAtATime ? undefined : withholding.at(-1)?.serverId;
        return { last, seen: withholding.length };
      };
      return walkOn(db, { name: resumeWithheldRoles.name, most: serversInARun, signal, look });
    },
  }) satisfies Job;

/** Revokes and deletes tokens that are not kept. */
export const discardTokens = {
  name: 'verification.discard-tokens',
  payload: z.object({ pendingId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 8,
};

export const discardTokensJob = (
  dependencies: DiscardDependencies,
): Job<z.output<typeof discardTokens.payload>> => ({
  ...discardTokens,
  run: ({ pendingId, accountId }) =>
    discardPendingTokens(dependencies, { id: pendingId, accountId }),
});

export const expireVerifications = { name: 'verification.expire', payload: z.object({}) };

const pendingAtATime = 500;
const authorizationsAtATime = 1000;
const hashesAtATime = 500;

export const expireVerificationsJob = (dependencies: DiscardDependencies) =>
  ({
    ...expireVerifications,
    cron: '* * * * *',
    async run(_: object, signal: AbortSignal) {
      const { db, log } = dependencies;
      for (const pending of await listExpiredWithTokens(db, pendingAtATime)) {
        signal.throwIfAborted();
        // One that cannot be revoked now is tried again by the next run; the others go on.
        await discardPendingTokens(dependencies, pending).catch((err) =>
          log.warn(
            { err, accountId: pending.accountId },
            'pending tokens could not be revoked yet',
          ),
        );
      }
      await deleteExpiredPending(db);
      await deleteInBatches({ signal }, () =>
        deleteExpiredAuthorizations(db, authorizationsAtATime),
      );
      await deleteExpiredSolutions(db);
      await deleteEndedChecks(db);
      await deleteInBatches({ signal }, () => expireHashes(db));
    },
  }) satisfies Job;

/** The member record shows the hash of the device too, and loses it with the row. */
const expireHashes = (db: Database): Promise<number> =>
  db.transaction(async (tx) => {
    const expired = await deleteExpiredHashes(tx, hashesAtATime);
    await deleteFingerprints(
      tx,
      expired.filter(({ kind }) => kind === 'device'),
    );
    return expired.length;
  });
