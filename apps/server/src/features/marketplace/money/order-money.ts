import type { LedgerType, PaymentMethod, PaymentProvider } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { type LedgerTransaction, post } from '../../billing/ledger/post.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import type { StoredOrder } from '../queries/orders.ts';
import { escrowCents, feeOfRemaining, remainingCents } from '../rules.ts';
import { type ClearingDependencies, requireEarnings } from './clearing.ts';

/*
 * An order's money is in escrow from its payment until the order ends: then the seller gets it without the
 * fee, or the buyer gets it back.
 */
export const escrow = { account: 'platform:escrow' } as const;
export const fees = { account: 'platform:fees' } as const;
/** Refunds of money that its receiver has spent already. */
export const losses = { account: 'platform:losses' } as const;
export const card = { account: 'provider:card' } as const;
const providers = { CARD: card, CRYPTO: { account: 'provider:crypto' } } as const;

export const creditOf = ({ buyerId }: StoredOrder) =>
  ({ accountId: buyerId, pot: 'CREDIT' }) as const;
export const earningsOf = ({ sellerId }: StoredOrder) =>
  ({ accountId: sellerId, pot: 'EARNED' }) as const;

type Postings = LedgerTransaction['postings'];

export const nonZero = (posting: Postings[number]): Postings =>
  posting.amountCents === 0 ? [] : [posting];

type Kind = {
  type: LedgerType;
  currency: string;
  /** For a step that must not be posted twice. */
  once?: string;
};

export const postForOrder = (
  tx: Transaction,
  { id: reference }: StoredOrder,
  { type, currency, once }: Kind,
  postings: Postings,
) => {
  const onceKey = once === undefined ? {} : { onceKey: `order:${reference}:${once}` };
  return post(tx, { type, reference, ...onceKey, currency, postings });
};

/** Refused where the buyer's earnings are too small: credit cannot buy from another account. */
export const holdMoney = async (
  tx: Transaction,
  dependencies: ClearingDependencies,
  order: StoredOrder,
  paidWith: PaymentMethod,
) => {
  const { buyerId: accountId, totalCents, currency } = order;
  if (totalCents === 0) return;
  if (paidWith === 'BALANCE') {
    await requireEarnings(tx, dependencies, { accountId, currency, amountCents: totalCents });
  }
  const from =
    paidWith === 'BALANCE' ? ({ accountId, pot: 'EARNED' } as const) : providers[paidWith];
  await postForOrder(tx, order, { type: 'PURCHASE', currency, once: 'hold' }, [
    { ...from, amountCents: -totalCents },
    { ...escrow, amountCents: totalCents },
  ]);
};

/** Pays what is in escrow to the seller, and takes the fee from them. */
export const paySeller = async (tx: Transaction, order: StoredOrder) => {
  const { currency } = order;
  const amountCents = escrowCents(order);
  const feeCents = feeOfRemaining(order);
  if (amountCents > 0) {
    await postForOrder(tx, order, { type: 'SALE', currency, once: 'sale' }, [
      { ...escrow, amountCents: -amountCents },
      { ...earningsOf(order), amountCents },
    ]);
  }
  if (feeCents > 0) {
    await postForOrder(tx, order, { type: 'FEE', currency, once: 'fee' }, [
      { ...earningsOf(order), amountCents: -feeCents },
      { ...fees, amountCents: feeCents },
    ]);
  }
};

/** Gives what is in escrow to the buyer as credit, whatever it was paid with. */
export const returnToBuyer = async (tx: Transaction, order: StoredOrder) => {
  const amountCents = escrowCents(order);
  if (amountCents === 0) return;
  await postForOrder(tx, order, { type: 'REFUND', currency: order.currency, once: 'return' }, [
    { ...escrow, amountCents: -amountCents },
    { ...creditOf(order), amountCents },
  ]);
};

export type Amount = { amountCents: number; currency: string };

/** The card provider has refunded a part of what is in escrow. */
export const returnToCard = async (tx: Transaction, order: StoredOrder, amountCents: number) => {
  const escrowed = Math.min(amountCents, escrowCents(order));
  await postForOrder(tx, order, { type: 'REFUND', currency: order.currency }, [
    { ...escrow, amountCents: -escrowed },
    ...nonZero({ ...losses, amountCents: escrowed - amountCents }),
    { ...card, amountCents },
  ]);
};

/**
 * The card provider has refunded a part of what the seller was paid. It is taken from the seller's earnings,
 * even if they come to owe it, and they get the fee for that part back. So they end as if the refund had come
 * before the payment to them.
 */
export const reclaimFromSeller = async (
  tx: Transaction,
  order: StoredOrder,
  amountCents: number,
) => {
  const { currency } = order;
  const reclaimed = Math.min(amountCents, remainingCents(order));
  const after = { ...order, refundedCents: order.refundedCents + reclaimed };
  const feeCents = feeOfRemaining(order) - feeOfRemaining(after);
  await postForOrder(tx, order, { type: 'REFUND', currency }, [
    ...nonZero({ ...earningsOf(order), amountCents: -reclaimed }),
    ...nonZero({ ...losses, amountCents: reclaimed - amountCents }),
    { ...card, amountCents },
  ]);
  if (feeCents === 0) return;
  await postForOrder(tx, order, { type: 'FEE', currency }, [
    { ...earningsOf(order), amountCents: feeCents },
    { ...fees, amountCents: -feeCents },
  ]);
};

/** A payment for an order that could no longer be paid becomes credit. */
export const creditBuyer = async (
  tx: Transaction,
  order: StoredOrder,
  provider: PaymentProvider,
  { amountCents, currency }: Amount,
) => {
  if (amountCents === 0) return;
  await postForOrder(tx, order, { type: 'REFUND', currency }, [
    { ...providers[provider], amountCents: -amountCents },
    { ...creditOf(order), amountCents },
  ]);
};

/** The card provider has refunded money that had become credit. Spent credit is the platform's loss. */
export const reclaimCredit = async (
  tx: Transaction,
  order: StoredOrder,
  { amountCents, currency }: Amount,
) => {
  const credit = creditOf(order);
  const reclaimed = Math.min(amountCents, await lockBalance(tx, { ...credit, currency }));
  await postForOrder(tx, order, { type: 'ADJUSTMENT', currency }, [
    ...nonZero({ ...credit, amountCents: -reclaimed }),
    ...nonZero({ ...losses, amountCents: reclaimed - amountCents }),
    { ...card, amountCents },
  ]);
};
