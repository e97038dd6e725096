import type { Message } from '../guild/guild.ts';
import type { Application } from '../platform.ts';

/**
 * Without the intent MESSAGE_CONTENT an application reads a message of others with everything in it
 * empty, unless the message mentions its bot.
 */
export const hideContent = <Presented extends { content: string }>(
  { id: botId, intents }: Application,
  message: Message,
  presented: Presented,
): Presented => {
  const isShown =
    intents.includes('MESSAGE_CONTENT') ||
    message.author_id === botId ||
    message.content.includes(`<@${botId}>`) ||
    message.content.includes(`<@!${botId}>`);
  if (isShown) return presented;
  return { ...presented, content: '', embeds: [], attachments: [], components: [] };
};
