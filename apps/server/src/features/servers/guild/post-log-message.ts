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

export type LogChannelDependencies = BotDependencies & { log: Log };

/** Undefined where it was written; otherwise why not, with a channel that is gone noted. */
export const writeLogMessage = async (
  dependencies: LogChannelDependencies,
  { accountId, serverId, guildId, botId, logChannelId }: LogChannel,
  text: string,
): Promise<PlatformFailure | BotUnusable | undefined> => {
  try {
    await useBot(dependencies, { botId, accountId }, (bot) =>
      bot.guild(guildId).sendMessage(logChannelId, text),
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
  text: string,
): Promise<void> => {
  const { db } = dependencies;
  const guild = await findGuildOfServer(db, server);
  const pointers = guild && (await findPointers(db, { ...server, ...guild }));
  if (!guild || !pointers?.logChannelId) return;
  const { logChannelId } = pointers;
  const failure = await writeLogMessage(dependencies, { ...server, ...guild, logChannelId }, text);
  if (failure instanceof PlatformFailure && temporaryKinds.includes(failure.kind)) throw failure;
};
