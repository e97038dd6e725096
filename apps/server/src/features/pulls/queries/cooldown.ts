import { and, eq, exists, isNotNull, not, sql } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { pullCooldowns, pullMembers, pulls } from '../table.ts';

const { serverId, pullId, startedAt } = pullCooldowns;

/** Rounded down, so that the start of a cooldown is never in the future. */
const now = sql`date_trunc('milliseconds', clock_timestamp())`;
/** Never longer than a cooldown from now: the clock may have been set back since it started. */
const endOf = (cooldownMs: number) =>
  sql`least(${startedAt}, ${now}) + make_interval(secs => ${cooldownMs / 1000}::float8)`;
/** The clock was set back by more than a minute since: the rest of the cooldown is unknown. */
const isInFuture = sql`${startedAt} > clock_timestamp() + interval '1 minute'`;

export type CooldownStart = { serverId: string; pullId: string; cooldownMs: number };

/** Starts a server's cooldown; false where the one before is not over. One statement decides. */
export const startCooldown = async (tx: Transaction, start: CooldownStart): Promise<boolean> => {
  const started = await tx
    .insert(pullCooldowns)
    .values({ serverId: start.serverId, pullId: start.pullId, startedAt: now })
    .onConflictDoUpdate({
      target: serverId,
      set: { pullId: start.pullId, startedAt: now },
      // Its own pull holds it already where that is resumed twice at once.
      setWhere: sql`${endOf(start.cooldownMs)} <= clock_timestamp() or ${isInFuture}
        or ${pullId} = ${start.pullId}`,
    })
    .returning({ serverId });
  return started.length > 0;
};

/** When the server can be pulled next; undefined where it has no cooldown. */
export const findCooldownEnd = async (
  tx: Transaction,
  cooldown: Pick<CooldownStart, 'serverId' | 'cooldownMs'>,
) => {
  const end = endOf(cooldown.cooldownMs);
  const [found] = await tx
    .select({
      at: end.mapWith(startedAt),
      seconds: sql<number>`ceil(extract(epoch from ${end} - clock_timestamp()))::int`,
    })
    .from(pullCooldowns)
    .where(eq(serverId, cooldown.serverId));
  return found;
};

/**
 * Called before the pull's own row is changed, because creating a pull also locks the cooldown first.
 * The other way round, the end of one pull and the start of the next would deadlock.
 */
export const lockCooldown = async (tx: Transaction, ofPullId: string): Promise<void> => {
  await tx.select({ pullId }).from(pullCooldowns).where(eq(pullId, ofPullId)).for('update');
};

/** Only of a pull that tried no member. A cooldown that another pull has started since stays. */
export const releaseCooldown = async (tx: Transaction, ofPullId: string): Promise<void> => {
  const begun = tx
    .select({ seq: pullMembers.seq })
    .from(pullMembers)
    .where(and(eq(pullMembers.pullId, ofPullId), isNotNull(pullMembers.begunAt)));
  const untried = tx
    .select({ id: pulls.id })
    .from(pulls)
    .where(and(eq(pulls.id, pullId), eq(pulls.processed, 0)));
  await tx
    .delete(pullCooldowns)
    .where(and(eq(pullId, ofPullId), exists(untried), not(exists(begun))));
};
