import { and, eq, lt, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { gatewayIdentifies } from '../table.ts';

const { applicationId, identifiedAt } = gatewayIdentifies;
const clock = sql`clock_timestamp()`;
const ago = (ms: number) => sql`${clock} - make_interval(secs => ${ms / 1000}::float8)`;
const dayMs = 24 * 60 * 60 * 1000;

/** Until the transaction ends no other process counts this application's identifies. */
export const lockIdentifies = (tx: Transaction, application: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`identify ${application}`}, 0))`);

export type IdentifyCounts = { inDay: number; inWindow: number; oldestInDayMs: number };

/**
 * How many there were lately, and how long ago the first of the last 24 hours was. Those of the future,
 * which a clock that was set back leaves, count for the day only: else the bot would wait for it.
 */
export const countIdentifies = async (
  db: Queryable,
  application: string,
  windowMs: number,
): Promise<IdentifyCounts> => {
  const [row] = await db
    .select({
      inDay: sql<number>`count(*)::int`,
      inWindow: sql<number>`(count(*) filter (where ${identifiedAt} > ${ago(windowMs)}
        and ${identifiedAt} <= ${clock}))::int`,
      oldestInDayMs: sql<number>`coalesce(
        extract(epoch from ${clock} - min(${identifiedAt})) * 1000, 0)::float8`,
    })
    .from(gatewayIdentifies)
    .where(and(eq(applicationId, application), sql`${identifiedAt} > ${ago(dayMs)}`));
  return row ?? { inDay: 0, inWindow: 0, oldestInDayMs: 0 };
};

export const insertIdentify = async (tx: Transaction, application: string): Promise<void> => {
  await tx
    .insert(gatewayIdentifies)
    .values({ id: newId(), applicationId: application, identifiedAt: clock });
};

export const deleteOldIdentifies = async (db: Queryable): Promise<void> => {
  await db.delete(gatewayIdentifies).where(lt(identifiedAt, ago(2 * dayMs)));
};
