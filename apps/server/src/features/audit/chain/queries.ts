import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database, Queryable } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { chainStart } from '../rules.ts';
import { auditEntries, auditHeads } from '../table.ts';

export const findHead = async (db: Queryable, accountId: string) => {
  const { seq, hash } = auditHeads;
  const [head] = await db
    .select({ seq, hash })
    .from(auditHeads)
    .where(eq(auditHeads.accountId, accountId));
  return head ?? { seq: 0, hash: chainStart };
};

/** The entry after which a part of the chain begins; undefined where the chain is not that long. */
export const findLink = (db: Queryable, accountId: string, seq: number) =>
  firstRow(
    db
      .select({ seq: auditEntries.seq, hash: auditEntries.hash })
      .from(auditEntries)
      .where(and(eq(auditEntries.accountId, accountId), eq(auditEntries.seq, seq))),
  );

export const readChainAfter = (db: Queryable, accountId: string, seq: number, limit: number) =>
  db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.accountId, accountId), gt(auditEntries.seq, seq)))
    .orderBy(asc(auditEntries.seq))
    .limit(limit);

const entriesAtATime = 1000;

/**
 * Deletes the contents of a deleted account's entries: what was changed, and of which subject. The
 * hashes stay, so the order, the time and the kind of every change can still be proved.
 */
export const eraseAuditContents = async (db: Database, accountId: string, signal: AbortSignal) => {
  const { seq: last } = await findHead(db, accountId);
  for (let after = 0; after < last; after += entriesAtATime) {
    signal.throwIfAborted();
    await db
      .update(auditEntries)
      .set({ changes: {}, subjectId: null })
      .where(
        and(
          ...[eq(auditEntries.accountId, accountId), gt(auditEntries.seq, after)],
          lte(auditEntries.seq, after + entriesAtATime),
          // Entries without contents need no write.
          sql`(${auditEntries.changes} <> '{}' or ${auditEntries.subjectId} is not null)`,
        ),
      );
  }
};
