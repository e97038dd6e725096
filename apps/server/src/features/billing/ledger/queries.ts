import type { LedgerPot, LedgerType, PageQuery } from '@holdfast/contract';
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { countRows, listPage } from '../../../db/queries/list-page.ts';
import { newId } from '../../../kernel/ids.ts';
import { ledgerBalances, ledgerPostings, ledgerTransactions } from '../table.ts';

/** False where `onceKey` exists. */
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

/** The balance of one pot, locked until the transaction ends. */
export const lockBalance = async (tx: Transaction, { pot, ...holder }: OnePot): Promise<number> => {
  const [balance] = await tx
    .select({ balanceCents: ledgerBalances.balanceCents })
    .from(ledgerBalances)
    .where(and(isOf(holder), eq(ledgerBalances.pot, pot)))
    .for('no key update');
  return balance?.balanceCents ?? 0;
};

type Pots = { earnedCents: number; creditCents: number };

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
  const balanceOf = (name: LedgerPot) =>
    balances.find(({ pot }) => pot === name)?.balanceCents ?? 0;
  return { earnedCents: balanceOf('EARNED'), creditCents: balanceOf('CREDIT') };
};

/** Changes a pot's balance and returns the new one; the row stays locked until the transaction ends. */
export const moveBalance = async (
  tx: Transaction,
  { amountCents, ...pot }: OnePot & { amountCents: number },
): Promise<number> => {
  const { balanceCents } = ledgerBalances;
  // PostgreSQL checks the constraint on the proposed row of an upsert even if the row exists, so a negative
  // amount needs an update.
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

/** Newest first. */
export const listLedger = (db: Queryable, accountId: string, query: PageQuery) => {
  const { id, amountCents, currency, seq } = ledgerPostings;
  const isOwn = eq(ledgerPostings.accountId, accountId);
  const rows = db
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
    .where(isOwn)
    .orderBy(desc(seq));
  return listPage(query, rows, countRows(db, ledgerPostings, isOwn));
};
