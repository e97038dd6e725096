import { jobEntry } from '../../queue/job.ts';
import { holdBots } from './hold/hold-bots.ts';
import { createGatewayMetrics } from './hold/metrics.ts';
import { releaseLost, releaseLostJob } from './jobs.ts';

/**
 * The gateway: every active bot is connected to the platform by one process at a time, shows its status
 * and activity, and hears what happens in its guilds.
 *
 * - `hold/`: which process holds which bot. `process-lease` is the right of a process to hold any,
 *   `spread` shares the bots out, `hold-bots` is the round that a process makes every few seconds.
 * - `connect/`: one held bot. `keep-connected` follows one connection with the next, `bot-socket` opens
 *   one, `begin-session` asks and counts before a new session, `event-store` lets events take effect
 *   exactly once, `show-connection` tells the owner.
 */
export const gateway = {
  hold: holdBots,
  createMetrics: createGatewayMetrics,
  jobs: [jobEntry(releaseLost, releaseLostJob)],
};
