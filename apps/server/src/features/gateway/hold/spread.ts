import type { Database, Transaction } from '../../../db/connect.ts';
import { markDisconnected } from '../../bots/queries.ts';
import type { Keeper } from '../connect/keep-connected.ts';
import {
  addMissingConnections,
  claimBots,
  countHeld,
  countWantedBots,
  type HeldBot,
  listChangedBots,
  listHeldIds,
  releaseBot,
  releaseUnknownBots,
} from '../queries/connections.ts';
import {
  countProcesses,
  deleteProcesses,
  listBotsOfProcesses,
  lockExpiredProcesses,
} from '../queries/processes.ts';
import { fairShare } from '../rules.ts';
import type { ProcessLease } from './process-lease.ts';

/** What a process has to do for the bots it holds. */
export type Plan = {
  share: number;
  claimed: HeldBot[];
  changed: HeldBot[];
  /** Held until now, and deleted since. */
  gone: string[];
};

/** As many at a time, so that a take-over of thousands is spread over a few rounds and processes. */
const mostClaimed = 500;
const mostMoved = 50;

/** Longer than a change takes to be committed. */
const commitSeconds = 60;

/** One transaction: who is left, what is my share, what can I take, what has changed. Renews the lease. */
export const planHolding = (
  db: Database,
  lease: ProcessLease,
  { keepers, sinceMs }: { keepers: ReadonlyMap<string, Keeper>; sinceMs: number },
): Promise<Plan> =>
  lease.renewingTransaction(db, async (tx) => {
    const { processId } = lease;
    await releaseLostBots(tx);
    await addMissingConnections(tx);
    const share = fairShare(await countWantedBots(tx), await countProcesses(tx));
    const room = Math.min(share - keepers.size, mostClaimed);
    const claimed = room > 0 ? await claimBots(tx, processId, room) : [];
    const changed = await listChangedBots(tx, processId, commitSeconds + sinceMs / 1000);
    const known = new Set([...keepers.keys(), ...claimed.map(({ botId }) => botId)]);
    const isAsKnown = (await countHeld(tx, processId)) === known.size;
    const gone = isAsKnown ? [] : await settleDifference(tx, processId, known);
    return { share, claimed, changed, gone };
  });

/** Known bots without a row were deleted; rows of unknown bots are released, to be taken again. */
const settleDifference = async (
  tx: Transaction,
  processId: string,
  known: ReadonlySet<string>,
): Promise<string[]> => {
  const held = new Set(await listHeldIds(tx, processId));
  await releaseUnknownBots(tx, processId, [...held.difference(known)]);
  return [...known.difference(held)];
};

/** Frees the bots of processes that did not renew their lease. */
export const releaseLostBots = async (tx: Transaction): Promise<void> => {
  const expired = await lockExpiredProcesses(tx);
  if (expired.length === 0) return;
  await markDisconnected(tx, await listBotsOfProcesses(tx, expired));
  await deleteProcesses(tx, expired);
};

/** Those that are just connecting move in a later round. */
export const findSurplus = (keepers: ReadonlyMap<string, Keeper>, share: number): string[] => {
  const most = Math.min(Math.max(0, keepers.size - share), mostMoved);
  const movable = [...keepers].filter(([, keeper]) => !keeper.isConnecting());
  return movable.slice(0, most).map(([botId]) => botId);
};

type LetGo = {
  keepers: Map<string, Keeper>;
  botId: string;
  how: 'keepSession' | 'endSession';
};

/** First the socket is closed, then others may take the bot: it never has two. */
export const letGo = async (
  db: Database,
  lease: ProcessLease,
  { keepers, botId, how }: LetGo,
): Promise<void> => {
  const keeper = keepers.get(botId);
  if (!keeper) return;
  await keeper.close(how);
  // Before the release: where that fails, the next round finds a row of an unknown bot and releases it.
  keepers.delete(botId);
  await lease.transaction(db, async (tx) => {
    await releaseBot(tx, keeper.holding, { keepsSession: how === 'keepSession' });
    await markDisconnected(tx, [keeper.holding]);
  });
};

/** When the process stops: the others resume every session. */
export const letGoOfAll = async (
  db: Database,
  lease: ProcessLease,
  keepers: Map<string, Keeper>,
): Promise<void> => {
  await Promise.all([...keepers.values()].map((keeper) => keeper.close('keepSession')));
  await lease.transaction(db, async (tx) => {
    await markDisconnected(tx, await listBotsOfProcesses(tx, [lease.processId]));
    await deleteProcesses(tx, [lease.processId]);
  });
  keepers.clear();
};
