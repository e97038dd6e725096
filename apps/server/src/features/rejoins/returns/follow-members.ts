import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { type InGuild, markLeft } from '../../members/queries/seen.ts';
import { giveBackLater, requestRollCall } from '../jobs.ts';
import { type Movements, splitAtArrivals, sumUpMovements } from '../rules.ts';
import { type ReturnDependencies, storeArrivals, storePresent } from './store-present.ts';

type Bot = { botId: string; accountId: string };

/**
 * Stores who left, who came and what members have. What those who came back get is given by a job: no
 * call to the platform waits in the transaction of an event, however many come at once. A guild that is
 * reported in full begins anew: what happened in it before was perhaps not heard, so its roll is called.
 */
export const followMembers =
  (queue: Pick<Queue, 'enqueue'>) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    const dependencies = { onReturned: giveBackLater(queue) };
    for (const { before, guildId } of splitAtArrivals(events)) {
      for (const [movedIn, movements] of sumUpMovements(before)) {
        await storeMovements(dependencies, tx, { ...bot, guildId: movedIn }, movements);
      }
      if (guildId !== undefined) await requestRollCall(queue, tx, { ...bot, guildId });
    }
  };

const storeMovements = async (
  dependencies: ReturnDependencies,
  tx: Transaction,
  guild: InGuild,
  { had, left, joined }: Movements,
): Promise<void> => {
  const present = [...had].map(([platformId, held]) => ({ platformId, ...held }));
  await storePresent(dependencies, tx, guild, present);
  await markLeft(tx, guild, [...left]);
  const arrivals = [...joined].map(([platformId, seen]) => ({
    ...{ platformId, ...seen, isMissed: false },
  }));
  await storeArrivals(dependencies, tx, guild, arrivals);
};
