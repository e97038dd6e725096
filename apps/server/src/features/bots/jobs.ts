import { z } from 'zod';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import type { Job } from '../../queue/job.ts';
import { findBotToUse, listBotsToCheck, storeGoodToken, storeUnansweredCheck } from './queries.ts';
import { openCredential } from './sealed.ts';
import { askAboutToken } from './token-check.ts';
import { type BotOwner, type BotTools, switchOff } from './use-bot.ts';

const checkEveryMs = 6 * 60 * 60 * 1000;
const botsAtATime = 500;

/** Asks about a token that could not be asked about when it was given. */
export const checkBot = {
  name: 'bots.check',
  payload: z.object({ botId: z.guid(), accountId: z.guid() }),
};

/** Looks at every bot in use a few times a day: is its token still good, has it a new picture. */
export const checkBots = { name: 'bots.check-all', payload: z.object({}) };

export const checkBotJob = (tools: BotTools): Job<BotOwner> => ({
  ...checkBot,
  concurrency: 4,
  async run(owner) {
    const isAnswered = await check(tools, owner);
    if (!isAnswered) throw new Error('The platform did not answer');
  },
});

export const checkBotsJob = (tools: BotTools): Job => ({
  ...checkBots,
  cron: '*/20 * * * *',
  runsAtStart: true,
  async run(_, signal) {
    const before = new Date(Date.now() - checkEveryMs);
    for (const owner of await listBotsToCheck(tools.db, before, botsAtATime)) {
      signal.throwIfAborted();
      await check(tools, owner);
    }
  },
});

/** False where the platform gave no clear answer. */
const check = async ({ db, ring, platform }: BotTools, owner: BotOwner): Promise<boolean> => {
  const bot = await findBotToUse(db, owner.botId, owner.accountId);
  if (!bot?.isActive) return true;
  const token = openIfPossible(ring, bot);
  const verdict = token
    ? await askAboutToken(platform, owner.accountId, token)
    : ({ kind: 'unknown' } as const);
  if (verdict.kind === 'good') await storeGoodToken(db, bot, verdict.avatarUrl);
  if (verdict.kind === 'refused') await switchOff(db, bot);
  if (verdict.kind === 'unknown') await storeUnansweredCheck(db, bot);
  return verdict.kind !== 'unknown' || token === undefined;
};

/** A token that does not open any more is reported where it is re-wrapped. */
const openIfPossible = (ring: KeyRing, bot: Parameters<typeof openCredential>[1]) => {
  try {
    return openCredential(ring, bot, 'botToken');
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};
