import type { Transaction } from '../../../db/connect.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import { BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { confirmedPowerOf, judgeRoles } from '../../servers/power/judge-roles.ts';
import { forgetWithheldRoles, type WithholdingServer } from '../../servers/power/queries.ts';
import { takeWithheldMembers } from '../queries/role-assignments.ts';
import type { AssignDependencies } from './assign-role.ts';

type AssignAgain = (
  tx: Transaction,
  member: { memberId: string; accountId: string },
) => Promise<void>;

const membersAtATime = 500;

/**
 * Members of a server who wait for a role get it once it is harmless, was confirmed or replaced. While the
 * guild cannot be read they go on waiting.
 */
export const resumeRoles = async (
  dependencies: AssignDependencies,
  server: WithholdingServer,
  assignAgain: AssignAgain,
): Promise<void> => {
  const { accountId, verifiedRoleId, withheldRoles } = server;
  if (await isStillWithheld(dependencies, server)) return;
  for (let taken = membersAtATime; taken === membersAtATime; ) {
    taken = await dependencies.db.transaction(async (tx) => {
      const memberIds = await takeWithheldMembers(tx, server, membersAtATime);
      for (const memberId of memberIds) await assignAgain(tx, { memberId, accountId });
      return memberIds.length;
    });
  }
  await forgetWithheldRoles(dependencies.db, server, Object.keys(withheldRoles), verifiedRoleId);
};

const isStillWithheld = async (
  dependencies: AssignDependencies,
  server: WithholdingServer,
): Promise<boolean> => {
  const { accountId, botId, guildId, verifiedRoleId, confirmedRole, withheldRoles } = server;
  if (verifiedRoleId === null || withheldRoles[verifiedRoleId] === undefined) return false;
  const confirmed = confirmedPowerOf(confirmedRole, verifiedRoleId);
  const { serverId } = server;
  const { coming } = await dependencies.findHeldBack(dependencies.db, { accountId, serverId });
  try {
    const { withheld } = await useBot(dependencies, { botId, accountId }, (bot) =>
      judgeRoles(bot, guildId, [{ roleId: verifiedRoleId, confirmed }], { coming }),
    );
    return withheld.length > 0;
  } catch (error) {
    if (error instanceof PlatformFailure || error instanceof BotUnusable) return true;
    throw error;
  }
};
