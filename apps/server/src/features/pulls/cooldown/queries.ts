import { and, eq, exists, isNotNull, not, sql } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { pullCooldowns, pullMembers, pulls } from '../table.ts';

const { serverId, pullId, startedAt } = pullCooldowns;

/** Rounded down: what was started just now is never in the future. */
const now = sql`date_trunc('milliseconds', clock_timestamp())`;
/** Never longer than a cooldown from now: the clock may have been set back since it began. */
const endOf = (cooldownMs: number) =>
  sql`least(${startedAt}, ${now}) + make_interval(secs => ${cooldownMs / 1000}::float8)`;
/** Begun in a future that the clock was set back from: nobody can say how much of it is left. */
const isOfTheFuture = sql`${startedAt} > clock_timestamp() + interval '1 minute'`;

type Claim = { serverId: string; pullId: string; cooldownMs: number };

/** Begins a server's cooldown; false where the one before is not over. One statement decides. */
export const beginCooldown = async (tx: Transaction, claim: Claim): Promise<boolean> => {
  const begun = await tx
    .insert(pullCooldowns)
    .values({ serverId: claim.serverId, pullId: claim.pullId, startedAt: now })
    .onConflictDoUpdate({
      target: serverId,
      set: { pullId: claim.pullId, startedAt: now },
      setWhere: sql`${endOf(claim.cooldownMs)} <= clock_timestamp() or ${isOfTheFuture}`,
    })
    .returning({ serverId });
  return begun.length > 0;
};

/** When the server can be pulled next; undefined where it can be now. */
export const findCooldownEnd = async (
  tx: Transaction,
  claim: Pick<Claim, 'serverId' | 'cooldownMs'>,
) => {
  const end = endOf(claim.cooldownMs);
  const [cooldown] = await tx
    .select({
      at: end.mapWith(startedAt),
      seconds: sql<number>`ceil(extract(epoch from ${end} - clock_timestamp()))::int`,
    })
    .from(pullCooldowns)
    .where(eq(serverId, claim.serverId));
  return cooldown;
};

/**
 * Before the pull's own row is touched, as whoever creates a pull does: the cooldown first, then the
 * pull. The other way round, the end of one pull and the beginning of the next wait for each other.
 */
export const lockCooldownOf = async (tx: Transaction, ofPullId: string): Promise<void> => {
  await tx.select({ pullId }).from(pullCooldowns).where(eq(pullId, ofPullId)).for('update');
};

/** For a pull that ended before it tried anybody. A cooldown that another has begun since stays. */
export const giveCooldownBack = async (tx: Transaction, ofPullId: string): Promise<void> => {
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
