import { assessHealth } from './assess/assess.ts';
import { judgeCapture } from './assess/capture.ts';
import { observeGuild } from './assess/observe.ts';
import { followGuilds } from './listen/follow-guilds.ts';
import { healthHandlers } from './routes.ts';

/**
 * Health: how a server's guild stands against its last good backup.
 *
 * - `rules.ts`: which health it is, by what is there and what is missing.
 * - `assess/`: `assess` judges a server and stores its health, in the transaction that changed something;
 *   `observe` takes what others read of a guild, `capture` how a server stood when a backup was taken.
 * - `listen/`: the same, change by change, as the platform reports it.
 * - `routes.ts`: the owner accepts the present state.
 */
export const health = {
  handlers: healthHandlers,
  assessHealth,
  judgeCapture,
  observeGuild,
  followGuilds,
};
