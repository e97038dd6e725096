import { and, eq, gt, inArray, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { preparedStep } from '../../../db/prepared.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { gatewayConnections, gatewayProcesses } from '../table.ts';

/** `now()` is the start of the transaction, also when its process was suspended in between. */
const clock = sql`clock_timestamp()`;
const inMs = (ms: number) => sql`${clock} + make_interval(secs => ${ms / 1000}::float8)`;

export const insertProcess = async (
  db: Queryable,
  process: { id: string; name: string },
  leaseMs: number,
): Promise<void> => {
  await db.insert(gatewayProcesses).values({ ...process, until: inMs(leaseMs) });
};

/** False when its bots were given to others. */
export const renewProcess = (db: Queryable, id: string, leaseMs: number): Promise<boolean> =>
  hasRows(
    db
      .update(gatewayProcesses)
      .set({ until: inMs(leaseMs) })
      .where(eq(gatewayProcesses.id, id))
      .returning({ id: gatewayProcesses.id }),
  );

/**
 * Keeps the process from losing its bots until the transaction ends; false when its lease has run out. A
 * process that is suspended in the transaction loses it after `idleMs`, and with it the lock.
 */
export const lockProcess = async (
  tx: Transaction,
  id: string,
  idleMs: number,
): Promise<boolean> => {
  const locked = await lock(tx, { id, idleMs: String(idleMs) });
  return locked.length > 0;
};

const lock = preparedStep<{ idle: string }>(['idle'], (tx) =>
  tx
    .select({
      idle: sql<string>`set_config('idle_in_transaction_session_timeout', ${sql.placeholder('idleMs')}, true)`,
    })
    .from(gatewayProcesses)
    .where(
      and(
        eq(gatewayProcesses.id, sql.placeholder('id')),
        sql`${gatewayProcesses.until} > ${clock}`,
      ),
    )
    .for('key share'),
);

/** Longer than any lease. */
const longestMs = 120_000;

/**
 * Locks the processes whose lease has run out; one that is just committing is left for the next time. A
 * lease that ends too late was given before the clock was set back: it is shortened, and a process that
 * lives renews it.
 */
export const lockExpiredProcesses = async (tx: Transaction): Promise<string[]> => {
  const { id, until } = gatewayProcesses;
  const isExpired = sql<boolean>`${until} < ${clock}`;
  const found = await tx
    .select({ id, isExpired })
    .from(gatewayProcesses)
    .where(or(isExpired, gt(until, inMs(longestMs))))
    .for('update', { skipLocked: true });
  const tooLong = found.filter((one) => !one.isExpired).map((one) => one.id);
  if (tooLong.length > 0) {
    await tx
      .update(gatewayProcesses)
      .set({ until: inMs(longestMs) })
      .where(inArray(id, tooLong));
  }
  return found.filter((one) => one.isExpired).map((one) => one.id);
};

export const listBotsOfProcesses = (tx: Transaction, ids: string[]) =>
  tx
    .select({ botId: gatewayConnections.botId, accountId: gatewayConnections.accountId })
    .from(gatewayConnections)
    .where(inArray(gatewayConnections.processId, ids));

/** Its bots become free. */
export const deleteProcesses = async (db: Queryable, ids: string[]): Promise<void> => {
  await db.delete(gatewayProcesses).where(inArray(gatewayProcesses.id, ids));
};

export const countProcesses = async (db: Queryable): Promise<number> => {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(gatewayProcesses)
    .where(sql`${gatewayProcesses.until} > ${clock}`);
  return row?.count ?? 0;
};
