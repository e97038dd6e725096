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
  if (!bot || isShown(bot, guild, message)) return presented;
  const empty = { content: '', embeds: [], attachments: [], components: [] };
  return { ...presented, ...empty, poll: undefined };
};

const isShown = ({ id, intents }: Application, { webhooks }: Guild, message: Message): boolean =>
  intents.includes('MESSAGE_CONTENT') ||
  message.author_id === id ||
  // Its own webhooks are the application itself.
  webhooks.get(message.webhook_id ?? '')?.application_id === id ||
  message.content.includes(`<@${id}>`) ||
  message.content.includes(`<@!${id}>`);
