import type { Message, Reaction } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { presentMember } from '../guild/present.ts';
import type { GuildEvent, Platform } from '../platform.ts';
import { type By, writeAudit } from './announce.ts';
import { messageEvents } from './message-events.ts';
import { inPlace } from './visibility.ts';

type Change = { before?: Message; after?: Message };

/** What is said is told as it happens: a guild holds too much of it to compare. */
export const announceMessage = (platform: Platform, by: By, guild: Guild, change: Change) => {
  const { before, after } = change;
  for (const event of messageEvents({ platform, guild, origin: by.origin }, { before, after })) {
    platform.gateway.dispatch(guild, event);
  }
  if (before && !after && by.actor && by.actor.userId !== before.author_id) {
    const options = { channel_id: before.channel_id, count: '1' };
    writeAudit(platform, by, guild, { action_type: 72, target_id: before.author_id, options });
  }
};

export const announceBulkDelete = (
  platform: Platform,
  by: By,
  guild: Guild,
  { placeId, ids }: { placeId: string; ids: string[] },
) => {
  platform.gateway.dispatch(guild, {
    name: 'MESSAGE_DELETE_BULK',
    shapeFor: inPlace(placeId),
    data: () => ({ ids, channel_id: placeId, guild_id: guild.id }),
  });
  const options = { count: String(ids.length) };
  writeAudit(platform, by, guild, { action_type: 73, target_id: placeId, options });
};

type Reacted = {
  message: Message;
  emoji?: Reaction['emoji'];
  /** Who reacted or whose reaction is gone; undefined: everybody's. */
  userId?: string;
};

type ReactionEvent = Extract<GuildEvent['name'], `MESSAGE_REACTION_${string}`>;

export const announceReaction = (
  { gateway, identities }: Platform,
  guild: Guild,
  name: ReactionEvent,
  { message, emoji, userId }: Reacted,
) => {
  const { id: message_id, channel_id, author_id } = message;
  const member = name === 'MESSAGE_REACTION_ADD' ? guild.members.get(userId ?? '') : undefined;
  const isOfOne = userId !== undefined;
  gateway.dispatch(guild, {
    name,
    shapeFor: inPlace(channel_id),
    data: () => ({
      ...{ channel_id, message_id, guild_id: guild.id },
      ...(emoji && { emoji }),
      ...(isOfOne && { user_id: userId, burst: false, type: 0 }),
      ...(member && {
        member: presentMember(identities, member),
        message_author_id: author_id,
        burst_colors: [],
      }),
    }),
  });
};

/** A pin shows at the message and in the channel's list. */
export const announcePin = (
  platform: Platform,
  by: By,
  guild: Guild,
  { message, last_pin_timestamp }: { message: Message; last_pin_timestamp: string | null },
) => {
  const { id: message_id, channel_id, author_id, pinned } = message;
  announceMessage(platform, by, guild, { before: message, after: message });
  platform.gateway.dispatch(guild, {
    name: 'CHANNEL_PINS_UPDATE',
    shapeFor: inPlace(channel_id),
    data: () => ({ guild_id: guild.id, channel_id, last_pin_timestamp }),
  });
  const options = { channel_id, message_id };
  const action_type = pinned ? 74 : 75;
  writeAudit(platform, by, guild, { action_type, target_id: author_id, options });
};
