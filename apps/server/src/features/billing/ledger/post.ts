import type { LedgerPot, LedgerType } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { insertPosting, insertTransaction, moveBalance } from './queries.ts';

/** One side of a transaction: a customer's pot, or an account of the platform or a provider. */
type Posting =
  | { accountId: string; pot: LedgerPot }
  | { account: `${'provider' | 'platform'}:${string}` };

export type LedgerTransaction = {
  type: LedgerType;
  reference: string;
  /** Unique name of a transaction that must not happen twice. */
  onceKey?: string;
  currency: string;
  postings: (Posting & { amountCents: number })[];
};

type Posted = { transactionId: string; balances: PotBalance[] };

type PotBalance = { accountId: string; pot: LedgerPot; balanceCents: number };

/**
 * Posts money in the transaction that moves it. The postings must add up to zero, or the database refuses the
 * commit. Returns the new balance of each pot; undefined where `onceKey` was posted before.
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
  // Balances are locked in one order everywhere, so that no two transactions deadlock.
  for (const posting of postings.toSorted(byLockOrder)) {
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

/** For one account CREDIT comes before EARNED, as in `lockPots`. */
const lockKeyOf = (posting: Posting): string =>
  'accountId' in posting ? `${accountOf(posting)}:${posting.pot}` : posting.account;

const byLockOrder = (one: Posting, other: Posting): number =>
  lockKeyOf(one) < lockKeyOf(other) ? -1 : 1;
