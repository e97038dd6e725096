import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { bots } from '../../bots/table.ts';
import { gatewayConnections } from '../table.ts';

const { botId, accountId, processId, sessionId, resumeUrl, sequence } = gatewayConnections;

export type HeldBot = Awaited<ReturnType<typeof listBots>>[number];
export type Holding = { botId: string; accountId: string; processId: string };

/** Those that should be connected. */
const isWanted = and(bots.isActive, isNull(bots.gatewayRefusal));

const botFields = {
  botId: bots.id,
  accountId: bots.accountId,
  clientId: bots.clientId,
  botToken: bots.botToken,
  status: bots.status,
  activityType: bots.activityType,
  activityText: bots.activityText,
  isWanted: sql<boolean>`${isWanted}`,
};

export const countWantedBots = async (db: Queryable): Promise<number> => {
  const [row] = await db.select({ count: sql<number>`count(*)::int` }).from(bots).where(isWanted);
  return row?.count ?? 0;
};

/** Bots that were added, or switched on for the first time, since the last call. */
export const addMissingConnections = async (tx: Transaction): Promise<void> => {
  const known = tx.select({ botId }).from(gatewayConnections).where(eq(botId, bots.id));
  await tx.execute(sql`
    insert into ${gatewayConnections} (bot_id, account_id)
    select ${bots.id}, ${bots.accountId} from ${bots}
    where ${isWanted} and not exists (${known})
    on conflict do nothing`);
};

/** Takes up to `most` bots that no process holds; two processes never take the same. */
export const claimBots = async (tx: Transaction, process: string, most: number) => {
  const free = await tx
    .select({ botId })
    .from(gatewayConnections)
    .innerJoin(bots, eq(bots.id, botId))
    .where(and(isNull(processId), isWanted))
    .limit(most)
    .for('update', { of: gatewayConnections, skipLocked: true });
  const ids = free.map((row) => row.botId);
  if (ids.length === 0) return [];
  await tx.update(gatewayConnections).set({ processId: process }).where(inArray(botId, ids));
  return listBots(tx, and(eq(processId, process), inArray(botId, ids)));
};

const listBots = (db: Queryable, where: ReturnType<typeof and>) =>
  db
    .select({ ...botFields, sessionId, resumeUrl, sequence })
    .from(gatewayConnections)
    .innerJoin(bots, eq(bots.id, botId))
    .where(where);

/** Those whose record changed within the last seconds: longer than a transaction takes. */
export const listChangedBots = (db: Queryable, process: string, seconds: number) =>
  listBots(
    db,
    and(
      eq(processId, process),
      sql`${bots.updatedAt} > clock_timestamp() - make_interval(secs => ${seconds})`,
    ),
  );

export const listHeldIds = async (db: Queryable, process: string): Promise<string[]> => {
  const rows = await db.select({ botId }).from(gatewayConnections).where(eq(processId, process));
  return rows.map((row) => row.botId);
};

export const countHeld = async (db: Queryable, process: string): Promise<number> => {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(gatewayConnections)
    .where(eq(processId, process));
  return row?.count ?? 0;
};

const heldAs = (holding: Holding) =>
  and(eq(botId, holding.botId), eq(accountId, holding.accountId), eq(processId, holding.processId));

/** The session as stored; undefined where this process does not hold the bot any more. */
export const lockConnection = (tx: Transaction, holding: Holding) =>
  firstRow(
    tx
      .select({ sessionId, resumeUrl, sequence })
      .from(gatewayConnections)
      .where(heldAs(holding))
      .for('no key update'),
  );

export const storeSession = async (
  tx: Transaction,
  holding: Holding,
  session: { id: string; resumeUrl: string; sequence: number },
): Promise<void> => {
  const { id, ...rest } = session;
  await tx
    .update(gatewayConnections)
    .set({ ...rest, sessionId: id })
    .where(heldAs(holding));
};

/** Bots that the process took without learning of it, because the answer to its commit was lost. */
export const releaseUnknownBots = async (
  tx: Transaction,
  process: string,
  ids: string[],
): Promise<void> => {
  if (ids.length === 0) return;
  await tx
    .update(gatewayConnections)
    .set({ processId: null })
    .where(and(eq(processId, process), inArray(botId, ids)));
};

/** Another process, or this one, can take it. False where it was not held. */
export const releaseBot = (
  tx: Transaction,
  holding: Holding,
  { keepsSession }: { keepsSession: boolean },
): Promise<boolean> =>
  hasRows(
    tx
      .update(gatewayConnections)
      .set({
        processId: null,
        ...(!keepsSession && { sessionId: null, resumeUrl: null, sequence: 0 }),
      })
      .where(heldAs(holding))
      .returning({ botId }),
  );
