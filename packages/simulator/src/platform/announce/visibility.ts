import type { Thread } from '../guild/conversation.ts';
import {
  canSeeThread,
  computeChannelPermissions,
  computeGuildPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import type { GuildEvent, Viewer } from '../platform.ts';

type ShapeFor = NonNullable<GuildEvent['shapeFor']>;

/** One shape for those who may see it. */
const onlyIf =
  (isVisible: (viewer: Viewer) => boolean): ShapeFor =>
  (viewer) =>
    isVisible(viewer) ? '' : undefined;

export const withPermission = (required: bigint): ShapeFor =>
  onlyIf(({ botId, guild }) => {
    const member = guild.members.get(botId);
    return member !== undefined && hasPermission(computeGuildPermissions(guild, member), required);
  });

/** In the channel, or in the channel of the thread. */
const hasInPlace = ({ botId, guild }: Viewer, placeId: string, required: bigint): boolean => {
  const member = guild.members.get(botId);
  const thread = guild.threads.get(placeId);
  const channel = guild.channels.get(thread?.parent_id ?? placeId);
  if (!member || !channel) return false;
  const granted = computeChannelPermissions(guild, member, channel);
  if (thread && !canSeeThread(thread, member, granted)) return false;
  return hasPermission(granted, required);
};

export const canSeePlace = (viewer: Viewer, placeId: string): boolean =>
  hasInPlace(viewer, placeId, Permission.ViewChannel);

export const inPlace = (placeId: string, required: bigint = Permission.ViewChannel): ShapeFor =>
  onlyIf((viewer) => hasInPlace(viewer, placeId, required));

/** A thread may be gone already: then by its channel. */
export const ofThread = (thread: Thread): ShapeFor =>
  onlyIf(({ botId, guild }) => {
    const member = guild.members.get(botId);
    const channel = guild.channels.get(thread.parent_id);
    if (!member || !channel) return false;
    return canSeeThread(thread, member, computeChannelPermissions(guild, member, channel));
  });
