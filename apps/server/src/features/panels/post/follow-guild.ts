import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { postPanelsOf } from '../jobs.ts';
import { makePanelsDue, markChannelsGone } from '../queries.ts';
import { channelGone } from '../rules.ts';

type Server = { accountId: string; serverId: string };

/** The job finds each panel's channel again, and posts what is not there any more. */
export const repostPanels = async (
  tx: Transaction,
  { queue }: { queue: Pick<Queue, 'enqueue'> },
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
  dependencies: { queue: Pick<Queue, 'enqueue'> },
  { before, after }: { before: { id: string; accountId: string } & Place; after: Place },
): Promise<void> => {
  const { platformGuildId, customBotId, accountId, id: serverId } = before;
  const isMoved = platformGuildId !== after.platformGuildId || customBotId !== after.customBotId;
  if (isMoved) await repostPanels(tx, dependencies, { accountId, serverId });
};

/** What the gateway reports of channels: a panel goes with its channel. */
export const followChannels = async (
  tx: Transaction,
  { accountId }: { accountId: string },
  events: readonly GuildEvent[],
): Promise<void> => {
  const deleted = events.flatMap((event) =>
    event.kind === 'channelDeleted' ? event.channelId : [],
  );
  if (deleted.length > 0) await markChannelsGone(tx, accountId, deleted, channelGone);
};
