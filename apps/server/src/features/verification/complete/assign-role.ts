import type { Database } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { markIfBlacklisted } from '../../members/queries/verified.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { storePointers } from '../../servers/pointers/queries.ts';
import { findWaitingAssignment, updateRoleAssignment } from '../queries/role-assignments.ts';
import type { RoleTrouble } from '../rules.ts';
import { reportVerified } from './report-verified.ts';

type Owner = { memberId: string; accountId: string };

/** Temporary failures are thrown, so that the job is retried. */
export const giveVerifiedRole = async (
  dependencies: BotDependencies,
  owner: Owner,
): Promise<void> => {
  const { db } = dependencies;
  await markIfBlacklisted(db, owner);
  const assignment = await findWaitingAssignment(db, owner);
  if (!assignment) return;
  const { botId, guildId, platformId, roleId, serverId, missingRoleId, logChannelId } = assignment;
  const server = { accountId: owner.accountId, serverId, guildId };
  try {
    if (roleId !== null) {
      await useBot(dependencies, { botId, accountId: owner.accountId }, (bot) =>
        bot.guild(guildId, { reason: auditReasons.verification() }).giveRole(platformId, roleId),
      );
    }
  } catch (failure) {
    const isRoleGone = failure instanceof PlatformFailure && failure.kind === 'unknownRole';
    if (isRoleGone) await storePointers(db, server, { missingRoleId: roleId });
    await recordFailure(db, owner, failure);
    return;
  }
  if (missingRoleId !== null) await storePointers(db, server, { missingRoleId: null });
  await db.transaction(async (tx) => {
    await updateRoleAssignment(tx, owner, { status: 'done', error: null });
    if (logChannelId === null) return;
    await dependencies.queue.enqueue(tx, reportVerified, { ...owner, messageId: newId() });
  });
};

/** The member is told on the last page. */
const recordFailure = async (db: Database, owner: Owner, failure: unknown): Promise<void> => {
  if (!isPlatformTrouble(failure)) throw failure;
  const kind = failure instanceof PlatformFailure ? failure.kind : undefined;
  const isTemporary = kind !== undefined && temporaryKinds.includes(kind);
  const error = isTemporary ? 'platformSilent' : ((kind && troubles[kind]) ?? 'failed');
  await updateRoleAssignment(db, owner, { status: isTemporary ? 'waiting' : 'failed', error });
  if (isTemporary) throw failure;
};

const isPlatformTrouble = (failure: unknown): boolean =>
  failure instanceof PlatformFailure || failure instanceof BotUnusable;

const temporaryKinds: FailureKind[] = [
  'unreachable',
  'rateLimited',
  'breakerOpen',
  'badAnswer',
  'aborted',
];

const troubles: Partial<Record<FailureKind, RoleTrouble>> = {
  unknownMember: 'notInServer',
  unknownUser: 'notInServer',
  missingPermission: 'missingPermission',
  unknownRole: 'roleGone',
};
