import type { Message } from '../guild/conversation.ts';
import type { Guild, Member } from '../guild/guild.ts';
import { presentMember } from '../guild/present.ts';
import { emptyContent, isShownTo } from '../message/hide-content.ts';
import { presentMessageTo } from '../message/present.ts';
import type { GuildEvent, Platform } from '../platform.ts';
import { canSeePlace, inPlace } from './visibility.ts';
import type { DifferenceOf } from './watch.ts';

const CONTENT_INTENT = 1 << 15;

type Context = { platform: Platform; guild: Guild; origin: string };

/** A message as those see it who may read it; the others get its place and author alone. */
export const messageEvents = (
  context: Context,
  { before, after }: Pick<DifferenceOf<'messages'>, 'before' | 'after'>,
): GuildEvent[] => {
  const { guild } = context;
  if (!after) return before ? [messageGone(guild, before)] : [];
  const { channel_id } = after;
  const shapeFor: GuildEvent['shapeFor'] = (viewer) => {
    if (!canSeePlace(viewer, channel_id)) return undefined;
    const readsContent = (viewer.intents & CONTENT_INTENT) !== 0;
    return isShownTo({ id: viewer.botId, readsContent }, guild, after) ? 'full' : 'empty';
  };
  const data = (shape: string) => {
    const full = present(context, after);
    return shape === 'full' ? full : emptyContent(full);
  };
  return [{ name: before ? 'MESSAGE_UPDATE' : 'MESSAGE_CREATE', shapeFor, data }];
};

const present = ({ platform, guild, origin }: Context, message: Message) => {
  const author = guild.members.get(message.author_id);
  return {
    ...presentMessageTo(platform, { origin, bot: undefined }, guild, message),
    guild_id: guild.id,
    ...(author && !message.webhook_id && { member: withoutUser(platform, author) }),
  };
};

const withoutUser = ({ identities }: Platform, author: Member) => {
  const { user: _, ...member } = presentMember(identities, author);
  return member;
};

const messageGone = ({ id: guild_id }: Guild, { id, channel_id }: Message): GuildEvent => ({
  name: 'MESSAGE_DELETE',
  shapeFor: inPlace(channel_id),
  data: () => ({ id, channel_id, guild_id }),
});
