import type { PaymentProvider } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { post } from '../../billing/ledger/post.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import { feeOfLeft, heldCents, leftCents } from '../rules.ts';
import type { StoredOrder } from './queries.ts';

/*
 * Where an order's money goes. It is held apart (escrow) from the moment it is paid until the order ends:
 * then it is the seller's, but for the fee, or the buyer's again.
 */
export const escrow = 'platform:escrow' as const;
export const fees = 'platform:fees' as const;
/** Refunds of money that its receiver has spent by then. */
export const losses = 'platform:losses' as const;

export const providerAccounts = { CARD: 'provider:card', CRYPTO: 'provider:crypto' } as const;

type Source = PaymentProvider | 'BALANCE';

/** False where the buyer has earned too little: credit buys nothing from another account. */
export const holdMoney = async (
  tx: Transaction,
  order: StoredOrder,
  source: Source,
): Promise<boolean> => {
  const { id: reference, buyerId: accountId, totalCents, currency } = order;
  if (totalCents === 0) return true;
  const earned = { accountId, pot: 'EARNED' } as const;
  if (source === 'BALANCE' && (await lockBalance(tx, { ...earned, currency })) < totalCents) {
    return false;
  }
  const from = source === 'BALANCE' ? earned : { account: providerAccounts[source] };
  await post(tx, {
    ...{ type: 'PURCHASE', reference, onceKey: `order:${reference}:hold`, currency },
    postings: [
      { ...from, amountCents: -totalCents },
      { account: escrow, amountCents: totalCents },
    ],
  });
  return true;
};

/** What is held becomes the seller's, who then pays the fee. */
export const paySeller = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { id: reference, sellerId: accountId, currency } = order;
  const heldNow = heldCents(order);
  const feeCents = feeOfLeft(order);
  if (heldNow > 0) {
    await post(tx, {
      ...{ type: 'SALE', reference, onceKey: `order:${reference}:sale`, currency },
      postings: [
        { account: escrow, amountCents: -heldNow },
        { accountId, pot: 'EARNED', amountCents: heldNow },
      ],
    });
  }
  if (feeCents > 0) {
    await post(tx, {
      ...{ type: 'FEE', reference, onceKey: `order:${reference}:fee`, currency },
      postings: [
        { accountId, pot: 'EARNED', amountCents: -feeCents },
        { account: fees, amountCents: feeCents },
      ],
    });
  }
};

/** What is held becomes the buyer's credit, whatever it was paid with. */
export const returnToBuyer = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { id: reference, buyerId: accountId, currency } = order;
  const heldNow = heldCents(order);
  if (heldNow === 0) return;
  await post(tx, {
    ...{ type: 'REFUND', reference, onceKey: `order:${reference}:return`, currency },
    postings: [
      { account: escrow, amountCents: -heldNow },
      { accountId, pot: 'CREDIT', amountCents: heldNow },
    ],
  });
};

export type Amount = { amountCents: number; currency: string };

/** The card provider has given a part of what is held back to the card. */
export const returnToCard = async (
  tx: Transaction,
  order: StoredOrder,
  amountCents: number,
): Promise<void> => {
  const { id: reference, currency } = order;
  const taken = Math.min(amountCents, heldCents(order));
  await post(tx, {
    ...{ type: 'REFUND', reference, currency },
    postings: [
      { account: escrow, amountCents: -taken },
      ...lossOf(amountCents - taken),
      { account: providerAccounts.CARD, amountCents },
    ],
  });
};

/**
 * And what the seller has had since: it is taken from their balance, even where that is spent and they
 * come to owe it, and they get the fee for that part back. So they end up as if it had been given back
 * before it was theirs.
 */
export const reclaimFromSeller = async (
  tx: Transaction,
  order: StoredOrder,
  amountCents: number,
): Promise<void> => {
  const { id: reference, sellerId: accountId, currency, refundedCents } = order;
  const taken = Math.min(amountCents, leftCents(order));
  const after = { ...order, refundedCents: refundedCents + taken };
  const feeCents = feeOfLeft(order) - feeOfLeft(after);
  await post(tx, {
    ...{ type: 'REFUND', reference, currency },
    postings: [
      ...(taken > 0 ? [{ accountId, pot: 'EARNED' as const, amountCents: -taken }] : []),
      ...lossOf(amountCents - taken),
      { account: providerAccounts.CARD, amountCents },
    ],
  });
  if (feeCents === 0) return;
  await post(tx, {
    ...{ type: 'FEE', reference, currency },
    postings: [
      { accountId, pot: 'EARNED', amountCents: feeCents },
      { account: fees, amountCents: -feeCents },
    ],
  });
};

/** Money that came for an order that could no longer be paid. */
export const creditBuyer = async (
  tx: Transaction,
  { id: reference, buyerId: accountId }: StoredOrder,
  provider: PaymentProvider,
  { amountCents, currency }: Amount,
): Promise<void> => {
  if (amountCents === 0) return;
  await post(tx, {
    ...{ type: 'REFUND', reference, currency },
    postings: [
      { account: providerAccounts[provider], amountCents: -amountCents },
      { accountId, pot: 'CREDIT', amountCents },
    ],
  });
};

/** And that the card provider has given back since. What is spent by then cannot be taken. */
export const takeCreditBack = async (
  tx: Transaction,
  { id: reference, buyerId: accountId }: StoredOrder,
  { amountCents, currency }: Amount,
): Promise<void> => {
  const credit = { accountId, pot: 'CREDIT' } as const;
  const taken = Math.min(amountCents, await lockBalance(tx, { ...credit, currency }));
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...(taken > 0 ? [{ ...credit, amountCents: -taken }] : []),
      ...lossOf(amountCents - taken),
      { account: providerAccounts.CARD, amountCents },
    ],
  });
};

const lossOf = (cents: number) =>
  cents > 0 ? [{ account: losses, amountCents: -cents } as const] : [];
