import { z } from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import { unlessBroken } from '../../kernel/seal.ts';
import { type Job, ofAccount } from '../../queue/job.ts';
import { openCredential } from './credentials/credentials.ts';
import { findBotToUse, listBotsToCheck, storeGoodToken, storeUnansweredCheck } from './queries.ts';
import { checkTokenOnce } from './use/check-token.ts';
import { type BotDependencies, type BotOwner, switchOffBot } from './use/use-bot.ts';

const checkEveryMs = 6 * 60 * 60 * 1000;
const botsAtATime = 500;

/** Checks a token that could not be checked when it was set. */
export const checkBot = {
  name: 'bots.check',
  payload: z.object({ botId: z.guid(), accountId: z.guid() }),
  groupOf: ofAccount,
  concurrency: 8,
};

/** Checks every active bot a few times a day: whether its token is valid, and its avatar. */
export const checkBots = { name: 'bots.check-all', payload: z.object({}) };

export const checkBotJob = (dependencies: BotDependencies): Job<BotOwner> => ({
  ...checkBot,
  async run(owner) {
    const isAnswered = await check(dependencies, owner);
    if (!isAnswered) throw new Error('The platform did not answer');
  },
});

export const checkBotsJob = (dependencies: BotDependencies & { clock: Clock }): Job => ({
  ...checkBots,
  cron: '14-59/20 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const before = new Date(dependencies.clock.now().getTime() - checkEveryMs);
    for (const owner of await listBotsToCheck(dependencies.db, before, botsAtATime)) {
      signal.throwIfAborted();
      await check(dependencies, owner);
    }
  },
});

/** False where the platform gave no clear answer. */
const check = async (
  { db, ring, platform, queue }: BotDependencies,
  owner: BotOwner,
): Promise<boolean> => {
  const bot = await findBotToUse(db, owner.botId, owner.accountId);
  if (!bot?.isActive) return true;
  // One that does not open is reported by the job that seals it again.
  const token = unlessBroken(() => openCredential(ring, bot, 'botToken'));
  const verdict = token
    ? await checkTokenOnce(platform, owner.accountId, token)
    : ({ kind: 'unknown' } as const);
  if (verdict.kind === 'good') await storeGoodToken(db, bot, verdict);
  if (verdict.kind === 'refused') await switchOffBot({ db, queue }, bot);
  if (verdict.kind === 'unknown') await storeUnansweredCheck(db, bot);
  return verdict.kind !== 'unknown' || token === undefined;
};
