import type { AuditQuery, PageQuery } from '@holdfast/contract';
import { and, asc, count, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../db/connect.ts';
import { preparedStep } from '../../db/prepared-step.ts';
import type { Actor } from '../../http/handler.ts';
import { newId } from '../../kernel/ids.ts';
import { chainStart, entryHash } from './rules.ts';
import { auditEntries, auditHeads } from './table.ts';

export type AuditedChange = {
  accountId: string;
  actor: Actor;
  /** `subject.verb`, such as `server.create`. */
  action: string;
  subject: { type: string; id: string | null };
  changes?: Record<string, unknown>;
};

/**
 * Adds the entry for a change, in the change's own transaction. Call it last: it holds the account's
 * chain until the transaction ends.
 */
export const recordAudit = async (tx: Transaction, change: AuditedChange): Promise<void> => {
  const { accountId, actor, action, subject, changes = {} } = change;
  const head = await lockHead(tx, accountId);
  const entry = {
    accountId,
    seq: head.seq + 1,
    id: newId(),
    at: head.at,
    actorType: actor.type,
    actorId: actor.id,
    action,
    subjectType: subject.type,
    subjectId: subject.id,
    changes,
    prevHash: head.hash,
  };
  await entryAdded(tx, { ...entry, hash: entryHash(entry) });
};

type Head = { seq: string; hash: string; at: Date };

const headLocked = preparedStep<Head>(['seq', 'hash', 'at'], (tx) => {
  const accountId = sql.placeholder('accountId');
  return tx
    .insert(auditHeads)
    .values({ accountId, seq: 0, hash: chainStart })
    .onConflictDoUpdate({ target: auditHeads.accountId, set: { accountId: auditHeads.accountId } })
    .returning({
      seq: sql<string>`${auditHeads.seq}`,
      hash: auditHeads.hash,
      at: sql<Date>`date_trunc('milliseconds', clock_timestamp())`,
    });
});

const lockHead = async (tx: Transaction, accountId: string) => {
  const [head] = await headLocked(tx, { accountId });
  if (!head) throw new Error('The end of the audit chain could not be locked');
  return { ...head, seq: Number(head.seq) };
};

/** The entry, and the chain's new end with it. */
const entryAdded = preparedStep([], (tx) => {
  const given = (name: string) => sql.placeholder(name);
  const added = tx.$with('added').as(
    tx
      .insert(auditEntries)
      .values({
        ...{ accountId: given('accountId'), seq: given('seq'), id: given('id'), at: given('at') },
        ...{ actorType: given('actorType'), actorId: given('actorId'), action: given('action') },
        ...{ subjectType: given('subjectType'), subjectId: given('subjectId') },
        ...{ changes: given('changes'), prevHash: given('prevHash'), hash: given('hash') },
      })
      .returning({ accountId: auditEntries.accountId, seq: auditEntries.seq, hash: auditEntries.hash }),
  );
  return tx
    .with(added)
    .update(auditHeads)
    .set({ seq: sql`${added.seq}`, hash: sql`${added.hash}` })
    .from(added)
    .where(eq(auditHeads.accountId, added.accountId));
});

export const findHead = async (db: Queryable, accountId: string) => {
  const { seq, hash } = auditHeads;
  const [head] = await db
    .select({ seq, hash })
    .from(auditHeads)
    .where(eq(auditHeads.accountId, accountId));
  return head ?? { seq: 0, hash: chainStart };
};

/** Entries of a chain have no gaps, so a page is a range of it: no row is skipped over. */
export const listEntries = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const { seq: total } = await findHead(db, accountId);
  const newest = total - (page - 1) * limit;
  if (newest < 1) return { rows: [], total };
  const rows = await db
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, accountId),
        lte(auditEntries.seq, newest),
        gt(auditEntries.seq, newest - limit),
      ),
    )
    .orderBy(desc(auditEntries.seq));
  return { rows, total };
};

/** How far back a filter looks: no index serves every filter, and nobody shall wait for a million. */
const entriesSearched = 100_000;

/** Those of the newest entries that fit; without a filter the list itself is the better way. */
export const findEntries = async (db: Queryable, accountId: string, query: AuditQuery) => {
  const { page, limit, actorType, subjectType, action } = query;
  const { seq: newest } = await findHead(db, accountId);
  const isFitting = and(
    eq(auditEntries.accountId, accountId),
    gt(auditEntries.seq, newest - entriesSearched),
    ...(actorType ? [eq(auditEntries.actorType, actorType)] : []),
    ...(subjectType ? [eq(auditEntries.subjectType, subjectType)] : []),
    ...(action ? [isAction(action)] : []),
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select()
      .from(auditEntries)
      .where(isFitting)
      .orderBy(desc(auditEntries.seq))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(auditEntries).where(isFitting),
  ]);
  return { rows, total: counted?.total ?? 0 };
};

/** What ends with a dot is how the action begins. */
const isAction = (action: string) =>
  action.endsWith('.')
    ? sql`starts_with(${auditEntries.action}, ${action})`
    : eq(auditEntries.action, action);

/** The end of the part of a chain that was looked at before; undefined where it is not that long. */
export const findLink = async (db: Queryable, accountId: string, seq: number) => {
  const [link] = await db
    .select({ seq: auditEntries.seq, hash: auditEntries.hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.accountId, accountId), eq(auditEntries.seq, seq)));
  return link;
};

export const readChainAfter = (db: Queryable, accountId: string, seq: number, limit: number) =>
  db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.accountId, accountId), gt(auditEntries.seq, seq)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit);

/** Only those that still say something are written. */
export const eraseEntries = async (
  db: Queryable,
  accountId: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<void> => {
  await db
    .update(auditEntries)
    .set({ changes: {}, subjectId: null })
    .where(
      and(
        ...[eq(auditEntries.accountId, accountId), gt(auditEntries.seq, after)],
        lte(auditEntries.seq, upTo),
        sql`(${auditEntries.changes} <> '{}' or ${auditEntries.subjectId} is not null)`,
      ),
    );
};
