import type { LedgerPot, LedgerType } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { insertPosting, insertTransaction, moveBalance } from './queries.ts';

/** One side of a transaction: a user's pot, or an account of ours or of a provider. */
export type Posting =
  | { accountId: string; pot: LedgerPot }
  | { account: `${'provider' | 'platform'}:${string}` };

export type LedgerTransaction = {
  type: LedgerType;
  reference: string;
  /** Where it may happen once only, the name of that one time. */
  onceKey?: string;
  currency: string;
  postings: (Posting & { amountCents: number })[];
};

export type Posted = { transactionId: string; balances: PotBalance[] };

type PotBalance = { accountId: string; pot: LedgerPot; balanceCents: number };

/**
 * Writes money down, in the transaction that moves it. What one account gains others lose; the
 * database refuses to commit what does not add up to nothing. Gives what each pot holds after it;
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
  const balances: PotBalance[] = [];
  // Always in the same order, so that two transactions never wait for each other in a circle.
  for (const posting of postings.toSorted(byPlace)) {
    const { amountCents } = posting;
    const moved = { transactionId, account: accountOf(posting), amountCents, currency };
    if (!('accountId' in posting)) {
      await insertPosting(tx, moved);
      continue;
    }
    const { accountId, pot } = posting;
    const balanceCents = await moveBalance(tx, { accountId, currency, pot, amountCents });
    await insertPosting(tx, { ...moved, accountId, pot, balanceCents });
    balances.push({ accountId, pot, balanceCents });
  }
  return { transactionId, balances };
};

const accountOf = (posting: Posting): string =>
  'accountId' in posting ? `user:${posting.accountId}` : posting.account;

/** Of one user CREDIT comes before EARNED, as in `lockPots`. */
const placeOf = (posting: Posting): string =>
  'accountId' in posting ? `${accountOf(posting)}:${posting.pot}` : posting.account;

const byPlace = (one: Posting, other: Posting): number => (placeOf(one) < placeOf(other) ? -1 : 1);
