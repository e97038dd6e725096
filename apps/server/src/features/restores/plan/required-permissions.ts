import { includes, namePermissions, permission, without } from '../../../platform/permissions.ts';
import type { PlanContext } from './plan-context.ts';
import type { Step } from './step.ts';
import { isVisibleToEveryone } from './visibility.ts';

/** Why the restore must not begin, found before its first change rather than half-way through. */
export const findBlockers = (context: PlanContext, steps: Step[]): string[] => {
  const required = steps.reduce((all, step) => all | requiredBy(step), 0n);
  const missing = without(required, context.bot.permissions);
  return [
    ...(missing === 0n ? [] : [`The bot lacks permissions: ${namePermissions(missing)}.`]),
    ...(cannotHide(context)
      ? [
          'Everyone is an administrator here, so private channels would be open: restore the roles too.',
        ]
      : []),
  ];
};

const requiredBy = ({ type, action }: Step): bigint => {
  switch (type) {
    case 'role':
      return permission.manageRoles;
    case 'channel':
      return permission.manageChannels | permission.manageRoles | permission.viewChannel;
    case 'settings':
      return permission.manageGuild;
    case 'ban':
      return permission.banMembers;
    case 'member':
      return (
        ('roles' in action && action.roles ? permission.manageRoles : 0n) |
        ('nick' in action && action.nick !== undefined ? permission.manageNicknames : 0n)
      );
    case 'emoji':
    case 'sticker':
      return permission.manageExpressions | permission.createExpressions;
    default:
      // A part that the bot may not restore is lost, and keeps nothing else from being restored.
      return 0n;
  }
};

const cannotHide = ({ snapshot, everyone, restores, savedChannels }: PlanContext): boolean =>
  restores('channels') &&
  includes(everyone.final, permission.administrator) &&
  savedChannels.some(
    ({ overwrites }) => !isVisibleToEveryone(everyone.saved, overwrites, snapshot.guildId),
  );
