import type { AuditAction, AuditQuery, PageQuery } from '@holdfast/contract';
import { and, desc, eq, gt, lte, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../db/connect.ts';
import { preparedStep } from '../../db/prepared.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { markAudited, markUnchanged } from '../../http/audited.ts';
import type { Actor } from '../../http/handler.ts';
import { newId } from '../../kernel/ids.ts';
import { findHead } from './chain/queries.ts';
import { chainStart, entryHash, topicsOf } from './rules.ts';
import { auditEntries, auditHeads } from './table.ts';

export type AuditedChange = {
  accountId: string;
  actor: Actor;
  action: AuditAction;
  subject: { type: string; id: string | null };
  changes?: Record<string, unknown>;
};

/**
 * Adds the entry for a change, in the change's own transaction. Call it last: it locks the account's
 * chain until the transaction ends. Open pages of the account are told of the change.
 */
export const recordAudit = async (tx: Transaction, change: AuditedChange) => {
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
  await insertEntryStatement(tx, { ...entry, hash: entryHash(entry) });
  markAudited(tx);
  markChanged(tx, { accountId }, 'audit');
  markChanged(tx, { accountId, serverId: serverOf(change) }, ...topicsOf(action));
};

/** The server that the entry is about, where it names one. */
const serverOf = ({ subject, changes }: AuditedChange): string | null => {
  if (subject.type === 'server') return subject.id;
  return typeof changes?.serverId === 'string' ? changes.serverId : null;
};

/**
 * Adds several entries at the end of their transaction, of one account's chain or of two. Chains are
 * locked in the order of account ids, so that two orders between the same accounts cannot deadlock. Without any,
 * nothing was changed.
 */
export const recordAudits = async (tx: Transaction, entries: readonly AuditedChange[]) => {
  if (entries.length === 0) markUnchanged(tx);
  const inOrder = entries.toSorted((one, other) => compare(one.accountId, other.accountId));
  for (const entry of inOrder) await recordAudit(tx, entry);
};

const compare = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

type Head = { seq: string; hash: string; at: Date };

const lockHeadStatement = preparedStep<Head>(['seq', 'hash', 'at'], (tx) => {
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
  const [head] = await lockHeadStatement(tx, { accountId });
  if (!head) throw new Error('The end of the audit chain could not be locked');
  return { ...head, seq: Number(head.seq) };
};

/** Inserts the entry and moves the head of the chain to it. */
const insertEntryStatement = preparedStep([], (tx) => {
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
      .returning({
        accountId: auditEntries.accountId,
        seq: auditEntries.seq,
        hash: auditEntries.hash,
      }),
  );
  return tx
    .with(added)
    .update(auditHeads)
    .set({ seq: sql`${added.seq}`, hash: sql`${added.hash}` })
    .from(added)
    .where(eq(auditHeads.accountId, added.accountId));
});

/** A chain has no gaps, so a page is a range of it: PostgreSQL reads no row that it skips. */
export const listEntries = async (
  db: Queryable,
  accountId: string,
  { page, limit }: PageQuery,
  most = Number.POSITIVE_INFINITY,
) => {
  const { seq } = await findHead(db, accountId);
  const total = Math.min(seq, most);
  const offset = (page - 1) * limit;
  if (offset >= total) return { rows: [], total };
  const newest = seq - offset;
  const oldest = Math.max(newest - limit, seq - total);
  const rows = await db
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, accountId),
        lte(auditEntries.seq, newest),
        gt(auditEntries.seq, oldest),
      ),
    )
    .orderBy(desc(auditEntries.seq));
  return { rows, total };
};

/** How far back a filter searches: no index serves every filter, and a chain can have a million entries. */
const entriesSearched = 100_000;

/** Those of the newest entries that match; a range of them where there is no filter. */
export const findEntries = async (db: Queryable, accountId: string, query: AuditQuery) => {
  const { page, limit, actorType, subjectType, action } = query;
  if (!actorType && !subjectType && !action) {
    return listEntries(db, accountId, query, entriesSearched);
  }
  const { seq: newest } = await findHead(db, accountId);
  const matches = and(
    eq(auditEntries.accountId, accountId),
    gt(auditEntries.seq, newest - entriesSearched),
    ...(actorType ? [eq(auditEntries.actorType, actorType)] : []),
    ...(subjectType ? [eq(auditEntries.subjectType, subjectType)] : []),
    ...(action ? [isAction(action)] : []),
  );
  const total = await countRows(db, auditEntries, matches);
  const offset = (page - 1) * limit;
  // The page would be looked for through all of them.
  if (total <= offset) return { rows: [], total };
  const found = db.select().from(auditEntries).where(matches).orderBy(desc(auditEntries.seq));
  return { rows: await found.limit(Math.min(limit, total - offset)).offset(offset), total };
};

/** An action that ends with a dot is a prefix. */
const isAction = (action: string) =>
  action.endsWith('.')
    ? sql`starts_with(${auditEntries.action}, ${action})`
    : eq(auditEntries.action, action);
