import { jobEntry } from '../../queue/job.ts';
import { rewrapBots } from './credentials/rewrap-bots.ts';
import { checkBot, checkBotJob, checkBots, checkBotsJob } from './jobs.ts';
import { sealedBots } from './queries.ts';
import { followGuildsOfBot } from './refused-guilds/ask-once.ts';
import { botHandlers } from './routes.ts';
import { createLookUp, createSecretCheck } from './setup/look-up.ts';
import { setupHandlers } from './setup/routes.ts';
import { createTokenChecker } from './use/check-token.ts';
import { createRefusalLimit } from './use/refusal-limit.ts';

/**
 * Bots: the applications on the platform through which Holdfast acts for an account.
 *
 * - `use/`: `use-bot` calls the platform as a bot, or with its OAuth client, and stops using credentials
 *   that the platform refuses; `check-token` asks whether a token is valid; `refusal-limit` stops an account whose
 *   tokens keep being refused.
 * - `setup/`: what the platform says about the application of a token, and what its owner still has to
 *   do there; `needed-permissions` is the one list of what bots are invited with.
 * - `credentials/`: how token and client secret are sealed, and sealed again under a new master key.
 * - `refused-guilds/`: guilds that the platform would not show to a bot are not asked for again for a while.
 * - `jobs.ts`: checks tokens, at once where the platform did not answer and regularly otherwise.
 */
export const bots = {
  handlers: botHandlers,
  setupHandlers,
  followGuilds: followGuildsOfBot,
  createRefusalLimit,
  createTokenChecker,
  createLookUp,
  createSecretCheck,
  jobs: [jobEntry(checkBot, checkBotJob), jobEntry(checkBots, checkBotsJob)],
  sealedRows: sealedBots,
  rewrap: rewrapBots,
};
