import type { LedgerPot, LedgerType, PageQuery } from '@holdfast/contract';
import { and, asc, count, desc, eq, sql } from 'drizzle-orm';
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

type Holder = { accountId: string; currency: string };
type OnePot = Holder & { pot: LedgerPot };

const isOf = ({ accountId, currency }: Holder) =>
  and(eq(ledgerBalances.accountId, accountId), eq(ledgerBalances.currency, currency));

/** What a user holds in one pot; it does not move by others until the transaction ends. */
export const lockBalance = async (tx: Transaction, { pot, ...holder }: OnePot): Promise<number> => {
  const [balance] = await tx
    .select({ balanceCents: ledgerBalances.balanceCents })
    .from(ledgerBalances)
    .where(and(isOf(holder), eq(ledgerBalances.pot, pot)))
    .for('no key update');
  return balance?.balanceCents ?? 0;
};

export type Pots = { earnedCents: number; creditCents: number };

/** Both pots, CREDIT locked before EARNED. */
export const lockPots = async (tx: Transaction, holder: Holder): Promise<Pots> =>
  potsIn(await selectPots(tx, holder).for('no key update'));

export const findPots = async (db: Queryable, holder: Holder): Promise<Pots> =>
  potsIn(await selectPots(db, holder));

const selectPots = (db: Queryable, holder: Holder) =>
  db
    .select({ pot: ledgerBalances.pot, balanceCents: ledgerBalances.balanceCents })
    .from(ledgerBalances)
    .where(isOf(holder))
    .orderBy(asc(ledgerBalances.pot));

const potsIn = (balances: { pot: LedgerPot; balanceCents: number }[]): Pots => {
  const heldIn = (wanted: LedgerPot) =>
    balances.find(({ pot }) => pot === wanted)?.balanceCents ?? 0;
  return { earnedCents: heldIn('EARNED'), creditCents: heldIn('CREDIT') };
};

/** Moves what a user holds in a pot and gives what it holds then; held until the transaction ends. */
export const moveBalance = async (
  tx: Transaction,
  { amountCents, ...pot }: OnePot & { amountCents: number },
): Promise<number> => {
  const { balanceCents } = ledgerBalances;
  // The row that an insert proposes is checked before it gives way to the one that is there: less than
  // nothing can only be taken from a row that is.
  if (amountCents < 0) {
    const [reduced] = await tx
      .update(ledgerBalances)
      .set({ balanceCents: sql`${balanceCents} + ${amountCents}` })
      .where(and(isOf(pot), eq(ledgerBalances.pot, pot.pot)))
      .returning({ balanceCents });
    if (reduced) return reduced.balanceCents;
  }
  const [balance] = await tx
    .insert(ledgerBalances)
    .values({ ...pot, balanceCents: amountCents })
    .onConflictDoUpdate({
      target: [ledgerBalances.accountId, ledgerBalances.currency, ledgerBalances.pot],
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
export const listLedger = async (db: Queryable, accountId: string, { page, limit }: PageQuery) => {
  const { id, amountCents, currency, seq } = ledgerPostings;
  const isOfUser = eq(ledgerPostings.accountId, accountId);
  const [rows, [counted]] = await Promise.all([
    db
      .select({
        ...{ id, amountCents, currency },
        pot: sql<LedgerPot>`${ledgerPostings.pot}`,
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
