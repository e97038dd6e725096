import type { Transaction } from '../../../db/connect.ts';
import { type LedgerTransaction, post } from '../../billing/ledger/post.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import { feeOfLeft, leftCents } from '../rules.ts';
import { escrow, fees, losses, providerAccounts } from './money.ts';
import type { StoredOrder } from './queries.ts';

/** Credit that is held while the charge it came from is disputed. */
const disputes = 'platform:disputes' as const;

/** What the seller has had goes back into escrow, and the fee with it, even where they come to owe it. */
export const takeIntoEscrow = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { leftNow, feeCents } = shares(order);
  if (leftNow === 0) return;
  const { id: reference, sellerId: userId, currency } = order;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ userId, pot: 'EARNED', amountCents: feeCents - leftNow }),
      ...nonZero({ account: fees, amountCents: -feeCents }),
      { account: escrow, amountCents: leftNow },
    ],
  });
};

/** And is theirs again. */
export const releaseToSeller = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { leftNow, feeCents } = shares(order);
  if (leftNow === 0) return;
  const { id: reference, sellerId: userId, currency } = order;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ userId, pot: 'EARNED', amountCents: leftNow - feeCents }),
      ...nonZero({ account: fees, amountCents: feeCents }),
      { account: escrow, amountCents: -leftNow },
    ],
  });
};

/**
 * The provider has given the disputed amount to the payer. What was not disputed of an order is its
 * seller's where it was completed, else the buyer's credit.
 */
export const loseDispute = async (
  tx: Transaction,
  order: StoredOrder,
  amountCents: number,
): Promise<void> => {
  const { id: reference, sellerId, buyerId, currency, status } = order;
  const leftNow = leftCents(order);
  const taken = Math.min(amountCents, leftNow);
  const rest = leftNow - taken;
  const feeCents = status === 'COMPLETED' ? feeOfLeft(keptOf(order, rest)) : 0;
  const receiver =
    status === 'COMPLETED'
      ? ({ userId: sellerId, pot: 'EARNED' } as const)
      : ({ userId: buyerId, pot: 'CREDIT' } as const);
  if (leftNow === 0 && amountCents === 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ account: escrow, amountCents: -leftNow }),
      ...nonZero({ account: losses, amountCents: taken - amountCents }),
      ...nonZero({ ...receiver, amountCents: rest - feeCents }),
      ...nonZero({ account: fees, amountCents: feeCents }),
      { account: providerAccounts.CARD, amountCents },
    ],
  });
};

/** Gives how much of it there was. */
export const holdCredit = async (
  tx: Transaction,
  { id: reference, buyerId: userId, currency }: StoredOrder,
  wantedCents: number,
): Promise<number> => {
  const credit = { userId, pot: 'CREDIT' } as const;
  const amountCents = Math.min(wantedCents, await lockBalance(tx, { ...credit, currency }));
  if (amountCents <= 0) return 0;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      { ...credit, amountCents: -amountCents },
      { account: disputes, amountCents },
    ],
  });
  return amountCents;
};

export const releaseCredit = async (
  tx: Transaction,
  { id: reference, buyerId: userId, currency }: StoredOrder,
  amountCents: number,
): Promise<void> => {
  if (amountCents === 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      { userId, pot: 'CREDIT', amountCents },
      { account: disputes, amountCents: -amountCents },
    ],
  });
};

/** What was spent by then is our loss. */
export const loseCredit = async (
  tx: Transaction,
  { id: reference, currency }: StoredOrder,
  { heldCents, lostCents }: { heldCents: number; lostCents: number },
): Promise<void> => {
  if (lostCents <= 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ account: disputes, amountCents: -heldCents }),
      ...nonZero({ account: losses, amountCents: heldCents - lostCents }),
      { account: providerAccounts.CARD, amountCents: lostCents },
    ],
  });
};

const keptOf = (order: StoredOrder, keptCents: number): StoredOrder => ({
  ...order,
  refundedCents: order.totalCents - keptCents,
});

const shares = (order: StoredOrder) => ({ leftNow: leftCents(order), feeCents: feeOfLeft(order) });

type Side = LedgerTransaction['postings'][number];

const nonZero = (side: Side): Side[] => (side.amountCents === 0 ? [] : [side]);
