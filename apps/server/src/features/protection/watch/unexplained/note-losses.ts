import type { Transaction } from '../../../../db/connect.ts';
import type { GuildEvent } from '../../../../platform/gateway/events.ts';
import { insertLosses, kindOfLoss, listLosses, type SeenLoss } from '../../queries/losses.ts';
import { findGuarded, type InGuild } from '../../queries/watched.ts';
import { type GuardedServer, guardedServerOf } from '../guarded-server.ts';
import type { IngestDependencies } from '../ingest.ts';
import { watchedForMs } from '../judge.ts';
import { explainLater } from './losses-job.ts';
import { attacksBy } from './mass-of.ts';

/**
 * What is gone by the guild's own events. Who did it, the audit log should tell; where so much is gone that
 * it would be an attack, and the log has not told yet, it is asked.
 */
export const noteLosses = (
  dependencies: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  events: readonly GuildEvent[],
): Promise<void> => storeLosses(dependencies, tx, server, events.flatMap(lossOf));

/** What was there when the guild was last seen, and is gone when a new session shows it: no event told of it. */
export const noteMissed =
  (dependencies: IngestDependencies) =>
  async (
    tx: Transaction,
    inGuild: InGuild,
    gone: { channelIds: string[]; roleIds: string[] },
  ): Promise<void> => {
    const seen = [
      ...gone.channelIds.map((id) => ({
        action: 'channelDeleted' as const,
        id,
        kind: 'missed' as const,
      })),
      ...gone.roleIds.map((id) => ({
        action: 'roleDeleted' as const,
        id,
        kind: 'missed' as const,
      })),
    ];
    const row = seen.length > 0 ? await findGuarded(tx, inGuild) : undefined;
    if (row) await storeLosses(dependencies, tx, guardedServerOf(row), seen);
  };

const storeLosses = async (
  { queue, clock }: IngestDependencies,
  tx: Transaction,
  server: GuardedServer,
  seen: readonly SeenLoss[],
): Promise<void> => {
  if (seen.length === 0) return;
  const now = clock.now();
  const fresh = await insertLosses(tx, server, seen, now);
  const lost = await listLosses(tx, server, new Date(now.getTime() - watchedForMs));
  const isAsked = [...new Set(seen.map((loss) => loss.action))].some((action) =>
    attacksBy(server.guard.thresholds[kindOfLoss({ action })]).some(({ count, perMs, counts }) => {
      const unexplained = lost.filter(
        (one) =>
          one.action === action &&
          one.incidentId === null &&
          counts(one) &&
          now.getTime() - one.at.getTime() < perMs,
      );
      const before = unexplained.filter(({ id }) => !fresh.has(id)).length;
      // Once: a job that was asked for before sees these as well.
      return before < count && unexplained.length >= count;
    }),
  );
  // What is heard from now on moves it.
  const afterEntryId = server.lastEntryId ?? undefined;
  if (isAsked) await explainLater(queue, tx, { ...server, afterEntryId, round: 0 });
};

const lossOf = (event: GuildEvent): SeenLoss[] => {
  if (event.kind === 'channelDeleted') {
    return [{ action: event.kind, id: event.channelId, kind: 'lost' }];
  }
  return event.kind === 'roleDeleted'
    ? [{ action: event.kind, id: event.roleId, kind: 'lost' }]
    : [];
};
