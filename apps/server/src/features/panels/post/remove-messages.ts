import { z } from 'zod';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { removeMessage } from './panel-message.ts';

const id = z.string();

/** All that is needed of what is deleted meanwhile. */
export const removedMessages = z.object({
  accountId: z.guid(),
  botId: z.guid(),
  guildId: id,
  messages: z.array(z.object({ channelId: id, messageId: id })),
});
export type RemovedMessages = z.output<typeof removedMessages>;

/** Safe to repeat: a message that is gone is removed. */
export const removeMessages = async (
  dependencies: BotDependencies,
  { accountId, botId, guildId, messages }: RemovedMessages,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await useBot(dependencies, { botId, accountId }, async (bot) => {
      const guild = bot.guild(guildId, { signal });
      for (const { channelId, messageId } of messages) {
        await removeMessage(guild, channelId, messageId);
      }
    });
  } catch (error) {
    if (error instanceof BotUnusable) return;
    if (error instanceof PlatformFailure && !isPassing(error)) return;
    throw error;
  }
};
