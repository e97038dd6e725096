import type { Log } from '../../../kernel/log.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { type BotDependencies, useBot } from '../../bots/use/use-bot.ts';
import { beginRollCall, endRollCall } from '../../members/queries/roll-calls.ts';
import { isBotUseless } from '../returns/give-back.ts';
import { type PageDependencies, storePage } from './store-page.ts';

export type RollCallDependencies = BotDependencies & PageDependencies & { log: Log };

type Caller = { accountId: string; serverId: string; botId: string };

/**
 * Lists the guild's members page by page, and makes up for what was not heard: who left is shown as such,
 * who came is treated as if that had been heard. Each page is stored with the place where the next one
 * begins, so that whoever takes this over goes on there.
 */
export const callTheRoll = async (
  dependencies: RollCallDependencies,
  caller: Caller,
  run: LeasedRun,
): Promise<void> => {
  const { db, log } = dependencies;
  const { signal, lease } = run;
  for (;;) {
    signal.throwIfAborted();
    const call = await lease.transaction(db, (tx) => beginRollCall(tx, caller));
    if (!call) return;
    try {
      await useBot(dependencies, caller, async (bot) => {
        const page = await bot.guild(call.guildId, { signal }).readMemberPage(call.afterId);
        await storePage(dependencies, caller, run, call, page);
      });
    } catch (error) {
      if (!isBotUseless(error)) throw error;
      log.info(
        { err: error, serverId: caller.serverId },
        'a bot cannot list the members of a guild',
      );
      await lease.transaction(db, (tx) => endRollCall(tx, caller, call, { isComplete: false }));
    }
  }
};
