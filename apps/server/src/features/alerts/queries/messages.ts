import type { AlertKind } from '@holdfast/contract';
import { and, desc, eq, inArray, isNull, lte, not, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow, hasRows } from '../../../db/queries/rows.ts';
import { newId } from '../../../kernel/ids.ts';
import { accounts } from '../../accounts/table.ts';
import { alertMessages, alerts, type MessageWay } from '../table.ts';

/** The alerts for which one message may stand. */
export type AlertGroup = {
  accountId: string;
  serverId: string | null;
  kind: AlertKind;
  way: MessageWay;
};

/** Until the transaction ends: of several workers one at a time decides about a message. */
export const lockGroup = async (tx: Transaction, group: AlertGroup): Promise<void> => {
  const { accountId, serverId, kind, way } = group;
  const name = `alerts ${accountId} ${serverId} ${kind} ${way}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
};

const ofGroup = ({ accountId, serverId, kind, way }: AlertGroup) =>
  and(
    eq(alertMessages.accountId, accountId),
    serverId === null ? isNull(alertMessages.serverId) : eq(alertMessages.serverId, serverId),
    eq(alertMessages.kind, kind),
    eq(alertMessages.way, way),
  );

type Times = {
  /** From one message to the next. */
  windowMs: number;
  /** A message that could not be sent is given up once nobody has tried for so long. */
  untriedMs: number;
};

const { sentAt, createdAt } = alertMessages;
const clock = sql`clock_timestamp()`;
const inMs = (ms: number) => sql`make_interval(secs => ${ms / 1000}::float8)`;
const isUntried = (ms: number) =>
  sql<boolean>`coalesce(${alertMessages.triedAt}, ${createdAt}) + ${inMs(ms)} <= ${clock}`;

/**
 * When another message may follow, by the database's clock, which all workers share. It counts from the
 * moment the last one was sent: one that waits for a mail server can still arrive at any time. Times of
 * the future are left by a clock that was set back, and hold nothing up.
 */
const nextAfter = ({ windowMs, untriedMs }: Times) => sql`case
  when ${sentAt} > ${clock} then ${clock}
  when ${sentAt} is not null then ${sentAt} + ${inMs(windowMs)}
  when ${isUntried(untriedMs)} then ${clock}
  else greatest(${createdAt} + ${inMs(windowMs)}, ${clock} + ${inMs(windowMs / 10)}) end`;

/** With how long it is until another may follow. */
export const findLastMessage = (tx: Transaction, group: AlertGroup, times: Times) => {
  const left = sql<number>`extract(epoch from ${nextAfter(times)} - ${clock})::float8`;
  const { id, isFollowed, alertCount } = alertMessages;
  return firstRow(
    tx
      .select({ id, isFollowed, alertCount, sentAt, leftSeconds: left })
      .from(alertMessages)
      .where(and(ofGroup(group), lte(createdAt, clock)))
      .orderBy(desc(createdAt))
      .limit(1),
  );
};

/** False where somebody has tried to send it since: then it is not given up. */
export const giveUpMessage = (tx: Transaction, owner: MessageOwner, { untriedMs }: Times) =>
  hasRows(
    tx
      .delete(alertMessages)
      .where(and(ofOwner(owner), isNull(sentAt), isUntried(untriedMs)))
      .returning({ id: alertMessages.id }),
  );

export const markFollowed = async (tx: Transaction, accountId: string, messageId: string) => {
  await tx
    .update(alertMessages)
    .set({ isFollowed: true })
    .where(and(eq(alertMessages.id, messageId), eq(alertMessages.accountId, accountId)));
};

const waiting = { email: alerts.isMailWaiting, channel: alerts.isPostWaiting };
const taken = { email: { isMailWaiting: false }, channel: { isPostWaiting: false } };

const isWaiting = ({ accountId, serverId, kind, way }: AlertGroup) =>
  and(
    eq(alerts.accountId, accountId),
    serverId === null ? isNull(alerts.serverId) : eq(alerts.serverId, serverId),
    eq(alerts.kind, kind),
    waiting[way],
  );

export const hasWaiting = async (tx: Transaction, group: AlertGroup): Promise<boolean> => {
  const some = await tx.select({ id: alerts.id }).from(alerts).where(isWaiting(group)).limit(1);
  return some.length > 0;
};

/** From now on they wait no more; newest first. */
export const takeWaiting = async (tx: Transaction, group: AlertGroup): Promise<string[]> => {
  const rows = await tx
    .update(alerts)
    .set(taken[group.way])
    .where(isWaiting(group))
    .returning({ id: alerts.id, createdAt: alerts.createdAt });
  const newestFirst = rows.toSorted(
    (one, other) => other.createdAt.getTime() - one.createdAt.getTime(),
  );
  return newestFirst.map(({ id }) => id);
};

/** Those that the settings decide about wait no more. */
export const dropSilenced = async (tx: Transaction, group: AlertGroup): Promise<void> => {
  await tx
    .update(alerts)
    .set(taken[group.way])
    .where(and(isWaiting(group), not(alerts.isAlwaysTold)));
};

export const insertMessage = async (
  tx: Transaction,
  { accountId, serverId, kind, way }: AlertGroup,
  alert: { alertId: string; alertCount: number },
): Promise<string> => {
  const id = newId();
  const group = { accountId, serverId, kind, way };
  const createdAt = sql`clock_timestamp()`;
  await tx.insert(alertMessages).values({ id, ...group, ...alert, createdAt });
  return id;
};

export type MessageOwner = { accountId: string; messageId: string };

const ofOwner = ({ accountId, messageId }: MessageOwner) =>
  and(eq(alertMessages.id, messageId), eq(alertMessages.accountId, accountId));

/**
 * With everything that its text needs; undefined where it was sent or given up, or its alert is deleted.
 * From now on it counts as tried, so that no other message takes its place meanwhile.
 */
export const takeMessageToSend = async (db: Queryable, owner: MessageOwner) => {
  const isOpen = and(ofOwner(owner), isNull(sentAt));
  const tried = db.update(alertMessages).set({ triedAt: clock }).where(isOpen);
  if (!(await hasRows(tried.returning({ id: alertMessages.id })))) return undefined;
  return firstRow(
    db
      .select({
        alertCount: alertMessages.alertCount,
        serverId: alerts.serverId,
        kind: alerts.kind,
        facts: alerts.facts,
        isListed: alerts.isListed,
        email: accounts.email,
        username: accounts.username,
        displayName: accounts.displayName,
      })
      .from(alertMessages)
      .innerJoin(alerts, eq(alerts.id, alertMessages.alertId))
      .innerJoin(accounts, eq(accounts.id, alertMessages.accountId))
      .where(isOpen),
  );
};

type Over = Pick<AlertGroup, 'accountId' | 'kind'> & {
  /** Only the alerts whose facts have this field are over. */
  fact: string;
};

/** What has not been sent yet about alerts whose cause is over. */
export const withdrawMessages = async (
  tx: Transaction,
  { accountId, kind, fact }: Over,
): Promise<void> => {
  const areOver = and(
    ...[eq(alerts.accountId, accountId), eq(alerts.kind, kind)],
    sql`${alerts.facts} ? ${fact}::text`,
  );
  const isToBeSent = or(alerts.isMailWaiting, alerts.isPostWaiting);
  await tx
    .update(alerts)
    .set({ ...taken.email, ...taken.channel })
    .where(and(areOver, isToBeSent));
  const over = tx.select({ id: alerts.id }).from(alerts).where(areOver);
  const ofThem = and(
    eq(alertMessages.accountId, accountId),
    inArray(alertMessages.alertId, over),
    isNull(sentAt),
  );
  await tx.delete(alertMessages).where(ofThem);
};

export const markSent = async (db: Queryable, owner: MessageOwner): Promise<void> => {
  await db.update(alertMessages).set({ sentAt: sql`now()` }).where(ofOwner(owner));
};
