import type { Channel } from '../../../platform/guild.ts';
import { includes, permission, without } from '../../../platform/permissions.ts';
import { canEditAccess, letBotIn } from './bot-permissions.ts';
import { hasItsOverwrites } from './channel-changes.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { hideFromEveryone, isVisibleToEveryone } from './visibility.ts';

/**
 * A channel may be hidden only because nobody may see channels in general. Where the backup's roles
 * give that right, such a channel gets an overwrite that hides it before: it exists until the restore
 * deletes it, or for good where channels are not restored.
 */
export const planHiding = (context: PlanContext, roleSteps: DraftStep[]): DraftStep[] => {
  const exposed = context.current.channels.filter(
    (channel) => wouldOpen(context, roleSteps, channel) && !isSetByItsEdit(context, channel),
  );
  for (const channel of exposed) {
    const { name } = channel;
    if (context.stays(channel) || !context.restores('channels')) {
      context.warnings.push(`#${name} is hidden now and is kept so by a rule of its own.`);
    }
    if (!canHide(context, channel)) {
      context.blockers.push(
        `The bot cannot reach #${name}, which the restored roles would open to everyone.`,
      );
    }
  }
  return exposed.map((channel) => hideStep(context, channel));
};

const canHide = ({ bot, current }: PlanContext, channel: Channel): boolean =>
  canEditAccess(bot, channel, current.guildId);

/** A channel of the backup has its own overwrites, or gets them before any role gains something. */
const isSetByItsEdit = (context: PlanContext, channel: Channel): boolean => {
  if (!context.restores('channels') || !context.isChannelKnown(channel.id)) return false;
  const isSaved = ({ id }: Channel) => context.channelMatch.get(id)?.id === channel.id;
  const saved = context.savedChannels.find(isSaved);
  return canHide(context, channel) || (saved !== undefined && hasItsOverwrites(context, saved));
};

const wouldOpen = (context: PlanContext, roleSteps: DraftStep[], channel: Channel): boolean => {
  const { everyone, current } = context;
  const { overwrites } = channel;
  const isHidden = (permissions: bigint) =>
    !isVisibleToEveryone(permissions, overwrites, current.guildId);
  if (!isHidden(everyone.now)) return false;
  // Administrators cannot be kept out; @everyone becomes one only when this channel is deleted.
  const gained = without(everyone.now | everyone.final, permission.administrator);
  // Assuming that everyone may see channels, only one with an overwrite against it stays hidden.
  return !isHidden(
    someRoleGainsViewChannel(context, roleSteps, channel)
      ? gained | permission.viewChannel
      : gained,
  );
};

/**
 * By what the restore really does: a role that the bot cannot reach gains nothing. A new role counts where
 * the channel is deleted in the end: until then nobody else is to see it.
 */
const someRoleGainsViewChannel = (
  { roleMatch, stays }: PlanContext,
  roleSteps: DraftStep[],
  channel: Channel,
): boolean =>
  roleSteps.some(({ action }) => {
    if (action.do !== 'editRole' || !('backup' in action.role)) return false;
    const has = roleMatch.get(action.role.backup)?.permissions;
    if (has === undefined && stays(channel)) return false;
    const gained = without(BigInt(action.changes.permissions ?? 0), BigInt(has ?? 0));
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
