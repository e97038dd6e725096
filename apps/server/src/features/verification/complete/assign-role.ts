import type { Database } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { type FailureKind, isPassing, PlatformFailure } from '../../../platform/failures.ts';
import { RememberedRefusal } from '../../bots/refused-guilds/ask-once.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { markIfBlacklisted } from '../../members/queries/verified.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { storePointers } from '../../servers/pointers/queries.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import { askWhenSent, confirmedPowerOf } from '../../servers/power/judge-roles.ts';
import type { RolePower } from '../../servers/power/read-powers.ts';
import { reportWithheld } from '../../servers/power/tell-power.ts';
import {
  findWaitingAssignment,
  updateRoleAssignment,
  type WaitingAssignment,
} from '../queries/role-assignments.ts';
import type { RoleTrouble } from '../rules.ts';
import { reportVerified } from './report-verified.ts';

export type AssignDependencies = BotDependencies & { findHeldBack: FindHeldBack };
type Owner = { memberId: string; accountId: string };

/** Temporary failures are thrown, so that the job is retried. */
export const giveVerifiedRole = async (
  dependencies: AssignDependencies,
  owner: Owner,
): Promise<void> => {
  const { db } = dependencies;
  await markIfBlacklisted(db, owner);
  const assignment = await findWaitingAssignment(db, owner);
  if (!assignment) return;
  const { guildId, roleId, serverId, missingRoleId, logChannelId } = assignment;
  const server = { accountId: owner.accountId, serverId, guildId };
  try {
    const withheld = roleId === null ? [] : await giveRole(dependencies, owner, assignment, roleId);
    if (withheld.length > 0) {
      await updateRoleAssignment(db, owner, { status: 'waiting', error: 'roleWithheld' });
      await reportWithheld(dependencies, server, 'VERIFIED_ROLE', withheld);
      return;
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

/** Returns the role where it would give more power than a person has confirmed: it is not given then. */
const giveRole = async (
  dependencies: AssignDependencies,
  { accountId }: Owner,
  { botId, guildId, serverId, platformId, confirmedRole }: WaitingAssignment,
  roleId: string,
): Promise<readonly RolePower[]> =>
  useBot(dependencies, { botId, accountId }, async (bot) => {
    const confirmed = confirmedPowerOf(confirmedRole, roleId);
    const person = { accountId, serverId, platformId };
    const findHeld = () => dependencies.findHeldBack(dependencies.db, person);
    const { ask, verdict } = askWhenSent({ bot, guildId, findHeld }, [{ roleId, confirmed }]);
    const guild = bot.guild(guildId, { reason: auditReasons.verification() });
    try {
      await guild.giveRole(platformId, roleId, ask);
    } catch (failure) {
      const isDecidedHere = failure instanceof PlatformFailure && failure.kind === 'withheld';
      if (!isDecidedHere || verdict.taken.length > 0) throw failure;
      if (verdict.withheld.length === 0) throw new PlatformFailure('unknownRole');
    }
    return verdict.withheld;
  });

/** The member is told on the last page. */
const recordFailure = async (db: Database, owner: Owner, failure: unknown): Promise<void> => {
  if (!isPlatformTrouble(failure)) throw failure;
  const kind = failure instanceof PlatformFailure ? failure.kind : undefined;
  const isTemporary =
    failure instanceof PlatformFailure &&
    (isPassing(failure) || failure instanceof RememberedRefusal);
  const error = isTemporary ? 'platformSilent' : ((kind && troubles[kind]) ?? 'failed');
  await updateRoleAssignment(db, owner, { status: isTemporary ? 'waiting' : 'failed', error });
  if (isTemporary) throw failure;
};

const isPlatformTrouble = (failure: unknown): boolean =>
  failure instanceof PlatformFailure || failure instanceof BotUnusable;

const troubles: Partial<Record<FailureKind, RoleTrouble>> = {
  unknownMember: 'notInServer',
  unknownUser: 'notInServer',
  missingPermission: 'missingPermission',
  unknownRole: 'roleGone',
};
