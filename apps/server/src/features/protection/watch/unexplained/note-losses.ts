import type { Transaction } from '../../../../db/connect.ts';
import type { GuildEvent } from '../../../../platform/gateway/events.ts';
import { insertLosses, kindOfLoss, listLosses, type SeenLoss } from '../../queries/losses.ts';
import type { GuardedServer } from '../guarded-server.ts';
import type { IngestDependencies } from '../ingest.ts';
import { explainLater } from './losses-job.ts';

/**
 * What is gone by the guild's own events. Who did it, the audit log should tell; where so much is gone that
 * it would be an attack, and the log has not told yet, it is asked.
 */
export const noteLosses = async (
  { queue, clock }: IngestDependencies,
  tx: Transaction,
  server: GuardedServer & { botId: string },
  events: readonly GuildEvent[],
): Promise<void> => {
  const seen = events.flatMap(lossOf);
  if (seen.length === 0) return;
  const now = clock.now();
  const fresh = await insertLosses(tx, server, seen, now);
  for (const action of new Set(seen.map((loss) => loss.action))) {
    const { count, perSeconds } = server.guard.thresholds[kindOfLoss({ action })];
    const since = new Date(now.getTime() - perSeconds * 1000);
    const lost = await listLosses(tx, server, since);
    const unexplained = lost.filter((one) => one.action === action && one.incidentId === null);
    const before = unexplained.filter(({ id }) => !fresh.has(id)).length;
    // Once: a job that was asked for before sees these as well.
    if (before >= count || unexplained.length < count) continue;
    return explainLater(queue, tx, { ...server, round: 0 });
  }
};

const lossOf = (event: GuildEvent): SeenLoss[] => {
  if (event.kind === 'channelDeleted') return [{ action: event.kind, id: event.channelId }];
  return event.kind === 'roleDeleted' ? [{ action: event.kind, id: event.roleId }] : [];
};
