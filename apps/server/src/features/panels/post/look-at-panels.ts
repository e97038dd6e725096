import type { Database, Transaction } from '../../../db/connect.ts';
import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import { type BotDependencies, BotUnusable, useBot } from '../../bots/use/use-bot.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { listAllWithPanels, listPostedMessages, markMessageGone } from '../queries/guild.ts';
import { channelGone } from '../rules.ts';

type Server = { accountId: string; serverId: string };

/** A panel whose message is gone is `MISSING`. Where the bot may not look, the panel stays as it is. */
export const lookAtPanels = async (
  dependencies: BotDependencies,
  server: Server,
  signal: AbortSignal,
): Promise<void> => {
  const { db } = dependencies;
  const posted = await listPostedMessages(db, server);
  const place = posted.length > 0 && (await findGuildOfServer(db, server));
  if (!place) return;
  const owner = { botId: place.botId, accountId: server.accountId };
  try {
    await useBot(dependencies, owner, async (bot) => {
      const guild = bot.guild(place.guildId, { signal });
      for (const { panelId, messageId, channelId } of posted) {
        const absence = await guild
          .readMessageId(channelId, messageId)
          .then(() => undefined, absenceOf);
        if (!absence) continue;
        const gone = { messageId, error: absence === 'unknownChannel' ? channelGone : null };
        await db.transaction((tx) => markMessageGone(tx, { ...server, panelId }, gone));
      }
    });
  } catch (error) {
    // What needs the owner is told where the bot is used for more than looking.
    if (error instanceof BotUnusable) return;
    if (error instanceof PlatformFailure && !isPassing(error)) return;
    throw error;
  }
};

/** Why the message is not there; a refusal says nothing about it. */
const absenceOf = (error: unknown): 'unknownMessage' | 'unknownChannel' | undefined => {
  if (!(error instanceof PlatformFailure)) throw error;
  if (error.kind === 'unknownMessage' || error.kind === 'unknownChannel') return error.kind;
  if (error.kind === 'missingPermission' || error.kind === 'noAccess') return undefined;
  throw error;
};

const serversAtATime = 200;
/** The looks are spread, so that they come in between everything else. */
const spreadSeconds = 3600;
const firstId = '00000000-0000-0000-0000-000000000000';

type EnqueueLook = (tx: Transaction, server: Server, afterSeconds: number) => Promise<void>;

export const lookAtAllPanels = (
  db: Database,
  signal: AbortSignal,
  enqueue: EnqueueLook,
): Promise<void> =>
  forAllServers(db, signal, listAllWithPanels, (tx, server) =>
    enqueue(tx, server, Math.floor(Math.random() * spreadSeconds)),
  );

/** Page by page, each in a transaction. */
export const forAllServers = async (
  db: Database,
  signal: AbortSignal,
  list: typeof listAllWithPanels,
  work: (tx: Transaction, server: Server) => Promise<void>,
): Promise<void> => {
  let after = firstId;
  for (;;) {
    signal.throwIfAborted();
    const found = await list(db, after, serversAtATime);
    const last = found.at(-1);
    if (!last) return;
    await db.transaction(async (tx) => {
      for (const server of found) await work(tx, server);
    });
    after = last.serverId;
  }
};
