import type { LedgerType } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { insertPosting, insertTransaction, moveBalance } from './queries.ts';

/** One side of a transaction: a user's account, or one of ours or of a provider. */
export type Posting = { userId: string } | { account: `${'provider' | 'platform'}:${string}` };

export type LedgerTransaction = {
  type: LedgerType;
  reference: string;
  /** Where it may happen once only, the name of that one time. */
  onceKey?: string;
  currency: string;
  postings: (Posting & { amountCents: number })[];
};

export type Posted = { transactionId: string; balances: Map<string, number> };

/**
 * Writes money down, in the transaction that moves it. What one account gains others lose; the
 * database refuses to commit what does not add up to nothing. Gives each user's balance after it;
 * undefined where it happened already.
 */
export const post = async (
  tx: Transaction,
  { type, reference, onceKey, currency, postings }: LedgerTransaction,
): Promise<Posted | undefined> => {
  const transactionId = newId();
  if (!(await insertTransaction(tx, { id: transactionId, type, reference, onceKey }))) {
    return undefined;
  }
  const balances = new Map<string, number>();
  // Always in the same order, so that two transactions never wait for each other in a circle.
  for (const posting of postings.toSorted(byAccount)) {
    const { amountCents } = posting;
    const moved = { transactionId, account: accountOf(posting), amountCents, currency };
    if (!('userId' in posting)) {
      await insertPosting(tx, moved);
      continue;
    }
    const { userId } = posting;
    const balanceCents = await moveBalance(tx, { userId, currency, amountCents });
    await insertPosting(tx, { ...moved, userId, balanceCents });
    balances.set(userId, balanceCents);
  }
  return { transactionId, balances };
};

const accountOf = (posting: Posting): string =>
  'userId' in posting ? `user:${posting.userId}` : posting.account;

const byAccount = (one: Posting, other: Posting): number =>
  accountOf(one) < accountOf(other) ? -1 : 1;
