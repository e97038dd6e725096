import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Job } from '../../queue/job.ts';
import { walkOn } from '../../queue/marks/walk-on.ts';
import type { Queue } from '../../queue/queue.ts';
import { raiseAlert } from '../alerts/deliver/raise-alert.ts';
import { countTokens } from './queries/list.ts';
import { listServersToCheck, lockTokenHealth, storeTokenHealth } from './queries/token-health.ts';
import { areTokensLow } from './rules.ts';

const checkEveryMs = 6 * 60 * 60 * 1000;
const serversAtATime = 500;
/** So that 180,000 are looked at in the time between two checks of one. */
const serversInARun = 10_000;

type Dependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };
type Server = { serverId: string; accountId: string };

/** Looks at every server a few times a day: how many of its members' tokens were revoked. */
export const checkTokens = { name: 'members.check-tokens', payload: z.object({}) };

export const checkTokensJob = (dependencies: Dependencies & { log: Log }): Job => ({
  ...checkTokens,
  cron: '10-59/20 * * * *',
  run(_, signal) {
    const { db, clock, log } = dependencies;
    const before = new Date(clock.now().getTime() - checkEveryMs);
    const look = async (after: string) => {
      const servers = await listServersToCheck(db, before, { after, most: serversAtATime });
      for (const { isDue, ...server } of servers) {
        signal.throwIfAborted();
        if (!isDue) continue;
        // One that takes too long to count does not keep the others from being checked.
        await checkTokensOf(dependencies, server).catch((err) =>
          log.warn({ err, ...server }, 'the tokens of a server could not be counted'),
        );
      }
      const last = servers.length < serversAtATime ? undefined : servers.at(-1)?.serverId;
      return { last, seen: servers.length };
    };
    return walkOn(db, { name: 'members.check-tokens', most: serversInARun, signal, look });
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
