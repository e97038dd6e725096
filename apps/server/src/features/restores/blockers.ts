import { includes, namePermissions, permission, without } from '../../platform/permissions.ts';
import type { Action } from './action.ts';
import type { Scene } from './scene.ts';
import type { Step } from './step.ts';
import { isVisibleToEveryone } from './visibility.ts';

/** Why the restore must not begin: found before its first change rather than half-way through. */
export const findBlockers = (scene: Scene, steps: Step[]): string[] => {
  const needed = steps.reduce((all, { action }) => all | neededFor(action), 0n);
  const missing = without(needed, scene.powers.permissions);
  return [
    ...(missing === 0n ? [] : [`The bot lacks permissions: ${namePermissions(missing)}.`]),
    ...(cannotHide(scene)
      ? [
          'Everyone is an administrator here, so private channels would be open: restore the roles too.',
        ]
      : []),
  ];
};

const channelWork = permission.manageChannels | permission.manageRoles | permission.viewChannel;
const expressionWork = permission.manageExpressions | permission.createExpressions;

const neededFor = (action: Action): bigint => {
  switch (action.do) {
    case 'createRole':
    case 'editRole':
    case 'placeRoles':
    case 'deleteRole':
      return permission.manageRoles;
    case 'createChannel':
    case 'setOverwrites':
    case 'placeChannels':
    case 'deleteChannel':
      return channelWork;
    case 'editSettings':
      return permission.manageGuild;
    case 'ban':
    case 'unban':
      return permission.banMembers;
    case 'editMember':
      return (
        (action.roles ? permission.manageRoles : 0n) |
        (action.nick === undefined ? 0n : permission.manageNicknames)
      );
    default:
      return expressionWork;
  }
};

const cannotHide = ({ desired, everyone, restores, wantedChannels }: Scene): boolean =>
  restores('channels') &&
  includes(everyone.final, permission.administrator) &&
  wantedChannels.some(
    ({ overwrites }) => !isVisibleToEveryone(everyone.wanted, overwrites, desired.guildId),
  );
