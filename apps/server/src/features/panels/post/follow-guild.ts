import type { Transaction } from '../../../db/connect.ts';
import type { AuditLogEntry, GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { findGuildOfServer } from '../../servers/queries.ts';
import { lookAtPanelsOf, postPanelsOf, removeMessagesOf } from '../jobs.ts';
import {
  listMessagesOf,
  listServersOfAccount,
  listServersWithPanels,
  makePanelsDue,
  markChannelsGone,
} from '../queries/guild.ts';
import { channelGone } from '../rules.ts';

type Server = { accountId: string; serverId: string };
type Dependencies = { queue: Pick<Queue, 'enqueue'> };

/** The job finds each panel's channel again, and posts what is not there any more. */
export const repostPanels = async (
  tx: Transaction,
  { queue }: Dependencies,
  { accountId, serverId }: Server,
): Promise<void> => {
  if (await makePanelsDue(tx, { accountId, serverId })) {
    await queue.enqueue(tx, postPanelsOf, { accountId, serverId });
  }
};

type Place = { platformGuildId: string; customBotId: string };

/** The settings of a server were changed. */
export const followMove = async (
  tx: Transaction,
  dependencies: Dependencies,
  { before, after }: { before: { id: string; accountId: string } & Place; after: Place },
): Promise<void> => {
  const { platformGuildId, customBotId, accountId, id: serverId } = before;
  const isMoved = platformGuildId !== after.platformGuildId || customBotId !== after.customBotId;
  if (isMoved) await repostPanels(tx, dependencies, { accountId, serverId });
};

/** The messages of a server's panels go with it: their button would lead nowhere. */
export const leaveGuild =
  ({ queue }: Dependencies) =>
  async (tx: Transaction, server: Server): Promise<void> => {
    const messages = await listMessagesOf(tx, server);
    const place = messages.length > 0 && (await findGuildOfServer(tx, server));
    if (!place) return;
    const { accountId } = server;
    await queue.enqueue(tx, removeMessagesOf, { accountId, ...place, messages });
  };

/** The same for all servers of an account that is deleted. */
export const leaveAllGuilds = async (
  tx: Transaction,
  dependencies: Dependencies,
  accountId: string,
): Promise<void> => {
  for (const { serverId } of await listServersOfAccount(tx, accountId)) {
    await leaveGuild(dependencies)(tx, { accountId, serverId });
  }
};

/**
 * What the gateway reports: a panel goes with its channel. Where somebody else deleted messages of a
 * panel's channel, or where nothing was reported for a while, the job looks whether the panel is there.
 * The events of messages themselves would bring every message of every guild.
 */
export const followGuild =
  ({ queue }: Dependencies) =>
  async (
    tx: Transaction,
    { accountId, botId }: { accountId: string; botId: string },
    events: readonly GuildEvent[],
  ): Promise<void> => {
    const deleted = events.flatMap((event) =>
      event.kind === 'channelDeleted' ? event.channelId : [],
    );
    if (deleted.length > 0) await markChannelsGone(tx, accountId, deleted, channelGone);
    const channelIds = events.flatMap((event) =>
      event.kind === 'auditEntry' ? (channelOfDeletion(event) ?? []) : [],
    );
    const guildIds = events.flatMap((event) =>
      event.kind === 'guildAvailable' ? event.guildId : [],
    );
    if (channelIds.length === 0 && guildIds.length === 0) return;
    const places = { channelIds, guildIds };
    for (const { serverId } of await listServersWithPanels(tx, { accountId, botId }, places)) {
      await queue.enqueue(tx, lookAtPanelsOf, { accountId, serverId });
    }
  };

/** Of many messages at once the target is their channel. */
const channelOfDeletion = ({ action, targetId, options }: AuditLogEntry): string | undefined => {
  if (action === 'messageDeleted') return options.channelId;
  return action === 'messagesDeleted' ? (targetId ?? undefined) : undefined;
};
