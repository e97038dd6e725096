import type { Channel } from '../../../platform/guild.ts';
import { includes, permission, without } from '../../../platform/permissions.ts';
import { canManage, canSetOverwrites, letBotIn } from './bot-permissions.ts';
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
  const exposed = current.channels.filter(
    (channel) => wouldOpen(context, channel) && !isSetByItsEdit(context, channel),
  );
  for (const channel of exposed) {
    const { name } = channel;
    if (context.stays(channel) || !context.restores('channels')) {
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

/** A channel of the backup gets its own overwrites before any role gains something. */
const isSetByItsEdit = (
  { bot, current, restores, isChannelKnown }: PlanContext,
  channel: Channel,
) =>
  restores('channels') &&
  isChannelKnown(channel.id) &&
  canManage(bot, channel, current.guildId) &&
  canSetOverwrites(bot, channel, current.guildId);

const wouldOpen = (context: PlanContext, channel: Channel): boolean => {
  const { everyone, current } = context;
  const { overwrites } = channel;
  const isHidden = (permissions: bigint) =>
    !isVisibleToEveryone(permissions, overwrites, current.guildId);
  if (!isHidden(everyone.now)) return false;
  // Administrators cannot be kept out; @everyone becomes one only when this channel is deleted.
  const gained = without(everyone.now | everyone.final, permission.administrator);
  // Assuming that everyone may see channels, only one with an overwrite against it stays hidden.
  return !isHidden(
    someRoleGainsViewChannel(context, channel) ? gained | permission.viewChannel : gained,
  );
};

/** A new role counts where the channel is deleted in the end: until then nobody else is to see it. */
const someRoleGainsViewChannel = (
  { roleMatch, savedRoles, restores, createsRole, stays }: PlanContext,
  channel: Channel,
): boolean =>
  restores('roles') &&
  savedRoles.some(({ id, permissions }) => {
    const has = roleMatch.get(id)?.permissions;
    if (has === undefined && (stays(channel) || !createsRole(id))) return false;
    return includes(without(BigInt(permissions), BigInt(has ?? 0)), permission.viewChannel);
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
