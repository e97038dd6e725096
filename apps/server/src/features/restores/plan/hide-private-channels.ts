import type { Channel } from '../../../platform/guild.ts';
import { includes, permission, without } from '../../../platform/permissions.ts';
import { canManage, letBotIn } from './bot-permissions.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { hideFromEveryone, isVisibleToEveryone } from './visibility.ts';

/**
 * A channel may be hidden only because nobody may see channels in general. Where the backup's roles
 * give that right, such a channel gets an overwrite that hides it before: it exists until the restore
 * deletes it, or for good where channels are not restored.
 */
export const planHiding = (context: PlanContext): DraftStep[] => {
  const { bot, current } = context;
  const exposed = current.channels.filter((channel) => wouldOpen(context, channel));
  for (const channel of exposed) {
    const { name } = channel;
    if (!context.restores('channels')) {
      context.warnings.push(`#${name} is hidden now and is kept so by a rule of its own.`);
    }
    if (!canManage(bot, channel, current.guildId)) {
      context.blockers.push(
        `The bot cannot reach #${name}, which the restored roles would open to everyone.`,
      );
    }
  }
  return exposed.map((channel) => hideStep(context, channel));
};

const wouldOpen = (context: PlanContext, { overwrites }: Channel): boolean => {
  const { everyone, current } = context;
  const isHidden = (permissions: bigint) =>
    !isVisibleToEveryone(permissions, overwrites, current.guildId);
  if (!isHidden(everyone.now)) return false;
  // Administrators cannot be kept out; @everyone becomes one only when this channel is deleted.
  const gained = without(everyone.now | everyone.final, permission.administrator);
  // Assuming that everyone may see channels, only one with an overwrite against it stays hidden.
  return !isHidden(someRoleGainsViewChannel(context) ? gained | permission.viewChannel : gained);
};

const someRoleGainsViewChannel = ({ roleMatch, savedRoles, restores }: PlanContext): boolean =>
  restores('roles') &&
  savedRoles.some(({ id, permissions }) => {
    const current = roleMatch.get(id);
    const gained = current ? without(BigInt(permissions), BigInt(current.permissions)) : 0n;
    return includes(gained, permission.viewChannel);
  });

const hideStep = ({ bot, current }: PlanContext, channel: Channel): DraftStep =>
  draftStep({
    key: `shield ${channel.id}`,
    stage: 'tighten',
    name: channel.name,
    action: {
      do: 'setOverwrites',
      channel: { present: channel.id },
      purpose: 'shield',
      overwrites: letBotIn(bot, hideFromEveryone(channel.overwrites, current.guildId)),
    },
  });
