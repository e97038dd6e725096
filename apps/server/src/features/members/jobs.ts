import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../../queue/job.ts';
import type { Queue } from '../../queue/queue.ts';
import { raiseAlert } from '../alerts/deliver/raise-alert.ts';
import { countTokens } from './queries/list.ts';
import { listServersToCheck, lockTokenHealth, storeTokenHealth } from './queries/token-health.ts';
import { areTokensLow } from './rules.ts';

const checkEveryMs = 6 * 60 * 60 * 1000;
const serversAtATime = 500;

type Dependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };
type Server = { serverId: string; accountId: string };

/** Looks at every server a few times a day: how many of its members' tokens were revoked. */
export const checkTokens = { name: 'members.check-tokens', payload: z.object({}) };

export const checkTokensJob = (dependencies: Dependencies & { log: Log }): Job => ({
  ...checkTokens,
  cron: '10-59/20 * * * *',
  async run(_, signal) {
    const { db, clock, log } = dependencies;
    const before = new Date(clock.now().getTime() - checkEveryMs);
    for (const server of await listServersToCheck(db, before, serversAtATime)) {
      signal.throwIfAborted();
      // One that takes too long to count does not keep the others from being checked.
      await checkTokensOf(dependencies, server).catch((err) =>
        log.warn({ err, ...server }, 'the tokens of a server could not be counted'),
      );
    }
  },
});

/** Raises one alert for a fall. Of two workers at once the second finds it stored. */
export const checkTokensOf = (
  { db, queue, clock }: Dependencies,
  { serverId, accountId }: Server,
): Promise<void> =>
  db.transaction(async (tx) => {
    const wasLow = await lockTokenHealth(tx, { serverId, accountId });
    // The server was deleted meanwhile.
    if (wasLow === undefined) return;
    const tokens = await countTokens(tx, { id: serverId, accountId });
    const isLow = areTokensLow(tokens, wasLow);
    await storeTokenHealth(tx, { serverId, accountId }, { isLow, checkedAt: clock.now() });
    if (!isLow || wasLow) return;
    const { valid, expired, revoked } = tokens;
    const facts = { revoked, total: valid + expired + revoked };
    await raiseAlert(tx, { queue }, { accountId, serverId, kind: 'TOKENS_FALLING', facts });
  });
