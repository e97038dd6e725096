import type { LedgerType, PageQuery } from '@holdfast/contract';
import { and, count, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { ledgerBalances, ledgerPostings, ledgerTransactions } from './table.ts';

/** False where it happened already. */
export const insertTransaction = async (
  tx: Transaction,
  transaction: { id: string; type: LedgerType; reference: string; onceKey?: string | undefined },
): Promise<boolean> => {
  const inserted = await tx
    .insert(ledgerTransactions)
    .values(transaction)
    .onConflictDoNothing()
    .returning({ id: ledgerTransactions.id });
  return inserted.length > 0;
};

/** What a user holds; it does not move by others until the transaction ends. */
export const lockBalance = async (
  tx: Transaction,
  { userId, currency }: { userId: string; currency: string },
): Promise<number> => {
  const [balance] = await tx
    .select({ balanceCents: ledgerBalances.balanceCents })
    .from(ledgerBalances)
    .where(and(eq(ledgerBalances.userId, userId), eq(ledgerBalances.currency, currency)))
    .for('no key update');
  return balance?.balanceCents ?? 0;
};

export const findBalance = async (
  db: Queryable,
  { userId, currency }: { userId: string; currency: string },
): Promise<number> => {
  const [balance] = await db
    .select({ balanceCents: ledgerBalances.balanceCents })
    .from(ledgerBalances)
    .where(and(eq(ledgerBalances.userId, userId), eq(ledgerBalances.currency, currency)));
  return balance?.balanceCents ?? 0;
};

/** Moves what a user holds and gives what they hold then; held until the transaction ends. */
export const moveBalance = async (
  tx: Transaction,
  { userId, currency, amountCents }: { userId: string; currency: string; amountCents: number },
): Promise<number> => {
  const { balanceCents } = ledgerBalances;
  const [balance] = await tx
    .insert(ledgerBalances)
    .values({ userId, currency, balanceCents: amountCents })
    .onConflictDoUpdate({
      target: [ledgerBalances.userId, ledgerBalances.currency],
      set: { balanceCents: sql`${balanceCents} + ${amountCents}` },
    })
    .returning({ balanceCents });
  if (!balance) throw new Error('The balance could not be moved');
  return balance.balanceCents;
};

export const insertPosting = async (
  tx: Transaction,
  posting: Omit<typeof ledgerPostings.$inferInsert, 'id' | 'seq'>,
): Promise<void> => {
  await tx.insert(ledgerPostings).values({ id: newId(), ...posting });
};

/** A user's own postings, the last one first. */
export const listLedger = async (db: Queryable, userId: string, { page, limit }: PageQuery) => {
  const { id, amountCents, currency, seq } = ledgerPostings;
  const isOfUser = eq(ledgerPostings.userId, userId);
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        ...{ id, amountCents, currency },
        balanceCents: sql<number>`${ledgerPostings.balanceCents}`.mapWith(Number),
        type: ledgerTransactions.type,
        reference: ledgerTransactions.reference,
        createdAt: ledgerTransactions.createdAt,
      })
      .from(ledgerPostings)
      .innerJoin(ledgerTransactions, eq(ledgerTransactions.id, ledgerPostings.transactionId))
      .where(isOfUser)
      .orderBy(desc(seq))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(ledgerPostings).where(isOfUser),
  ]);
  return { rows, total: counted?.total ?? 0 };
};
