import type { Log } from '../../../kernel/log.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findPointers, storePointers } from '../pointers/queries.ts';
import { findGuildOfServer } from '../queries.ts';

type LogChannel = {
  accountId: string;
  serverId: string;
  guildId: string;
  botId: string;
  logChannelId: string;
};

/** The id is of a message that may be written again. */
type LogMessage = { id?: string; text: string };

export type LogChannelDependencies = BotDependencies & { log: Log };

/** Undefined where it was written; otherwise why not, with a channel that is gone noted. */
const writeLogMessage = async (
  dependencies: LogChannelDependencies,
  { accountId, serverId, guildId, botId, logChannelId }: LogChannel,
  message: LogMessage,
): Promise<PlatformFailure | BotUnusable | undefined> => {
  try {
    await useBot(dependencies, { botId, accountId }, (bot) =>
      bot.guild(guildId).sendMessage(logChannelId, message),
    );
    return undefined;
  } catch (failure) {
    if (!(failure instanceof PlatformFailure || failure instanceof BotUnusable)) throw failure;
    if (failure instanceof PlatformFailure && failure.kind === 'unknownChannel') {
      const server = { accountId, serverId, guildId };
      await storePointers(dependencies.db, server, { missingChannelId: logChannelId });
    }
    dependencies.log.warn({ err: failure, accountId }, 'the log channel could not be written to');
    return failure;
  }
};

const temporaryKinds: FailureKind[] = ['unreachable', 'rateLimited', 'breakerOpen', 'aborted'];

/** For a job: throws where writing again later can help. A server without a channel gets no message. */
export const postLogMessage = async (
  dependencies: LogChannelDependencies,
  server: { accountId: string; serverId: string },
  message: LogMessage,
): Promise<void> => {
  const { db } = dependencies;
  const guild = await findGuildOfServer(db, server);
  const pointers = guild && (await findPointers(db, { ...server, ...guild }));
  if (!guild || !pointers?.logChannelId) return;
  const { logChannelId } = pointers;
  const channel = { ...server, ...guild, logChannelId };
  const failure = await writeLogMessage(dependencies, channel, message);
  if (failure instanceof PlatformFailure && temporaryKinds.includes(failure.kind)) throw failure;
};
