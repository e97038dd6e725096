import type { Message } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import type { Application } from '../platform.ts';

/**
 * Without the intent MESSAGE_CONTENT an application reads a message of others with everything in it
 * empty, unless the message mentions its bot.
 */
export const hideContent = <Presented extends { content: string }>(
  bot: Application | undefined,
  guild: Guild,
  message: Message,
  presented: Presented,
): Presented => {
  if (!bot) return presented;
  const reader = { id: bot.id, readsContent: bot.intents.includes('MESSAGE_CONTENT') };
  return isShownTo(reader, guild, message) ? presented : emptyContent(presented);
};

/** What is left of a message without its content. */
export const emptyContent = <Presented extends { content: string }>(presented: Presented) => {
  const empty = { content: '', embeds: [], attachments: [], components: [] };
  return { ...presented, ...empty, poll: undefined };
};

export const isShownTo = (
  { id, readsContent }: { id: string; readsContent: boolean },
  { webhooks }: Guild,
  message: Message,
): boolean =>
  readsContent ||
  message.author_id === id ||
  // Its own webhooks are the application itself.
  webhooks.get(message.webhook_id ?? '')?.application_id === id ||
  message.content.includes(`<@${id}>`) ||
  message.content.includes(`<@!${id}>`);
