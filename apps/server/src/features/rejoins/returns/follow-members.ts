import type { Transaction } from '../../../db/connect.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { markLeft, markReturned, rememberRoles } from '../../members/queries/seen.ts';
import { listBroughtByPulls } from '../../pulls/queries/brought.ts';
import { giveBack } from '../jobs.ts';
import { sumUpMovements } from '../rules.ts';

type Bot = { botId: string; accountId: string };

/**
 * Stores who left, who came and what members have. What those who came back get is given by a job: no
 * call to the platform waits in the transaction of an event, however many come at once.
 */
export const followMembers =
  (queue: Pick<Queue, 'enqueue'>) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    for (const [guildId, { left, joined, had }] of sumUpMovements(events)) {
      const guild = { ...bot, guildId };
      const seen = [...had].map(([platformId, held]) => ({ platformId, ...held }));
      await rememberRoles(tx, guild, seen);
      await markLeft(tx, guild, [...left]);
      const brought = await listBroughtByPulls(tx, guild, [...joined]);
      const waiting = await markReturned(tx, guild, [...joined], brought);
      for (const serverId of waiting) {
        await queue.enqueue(tx, giveBack, { ...bot, serverId }, { group: bot.accountId });
      }
    }
  };
