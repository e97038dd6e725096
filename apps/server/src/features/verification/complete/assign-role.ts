import type { Database } from '../../../db/connect.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { markIfBlacklisted } from '../../members/queries/verified.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import {
  type LogChannelDependencies,
  writeLogMessage,
} from '../../servers/guild/post-log-message.ts';
import { storePointers } from '../../servers/pointers/queries.ts';
import {
  findWaitingAssignment,
  updateRoleAssignment,
  type WaitingAssignment,
} from '../queries/role-assignments.ts';
import type { RoleTrouble } from '../rules.ts';

type Owner = { memberId: string; accountId: string };
export type AssignRoleDependencies = LogChannelDependencies;

/** Temporary failures are thrown, so that the job is retried. */
export const giveVerifiedRole = async (
  dependencies: AssignRoleDependencies,
  owner: Owner,
): Promise<void> => {
  const { db } = dependencies;
  await markIfBlacklisted(db, owner);
  const assignment = await findWaitingAssignment(db, owner);
  if (!assignment) return;
  const { botId, guildId, platformId, roleId, serverId, missingRoleId } = assignment;
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
  await updateRoleAssignment(db, owner, { status: 'done', error: null });
  await notifyLogChannel(dependencies, owner, assignment);
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

/** At most once: a missing line is better than a repeated one. */
const notifyLogChannel = async (
  dependencies: AssignRoleDependencies,
  { accountId }: Owner,
  { serverId, botId, guildId, logChannelId, platformId, username }: WaitingAssignment,
): Promise<void> => {
  if (logChannelId === null) return;
  const channel = { accountId, serverId, guildId, botId, logChannelId };
  const text = `Verified: ${plainName(username)} (${platformId})`;
  await writeLogMessage(dependencies, channel, { text });
};

/** Without mentions, markup and links. */
const plainName = (name: string): string => name.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '');
