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
  const { id: reference, sellerId: accountId, currency } = order;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ accountId, pot: 'EARNED', amountCents: feeCents - leftNow }),
      ...nonZero({ account: fees, amountCents: -feeCents }),
      { account: escrow, amountCents: leftNow },
    ],
  });
};

/** And is theirs again. */
export const releaseToSeller = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { leftNow, feeCents } = shares(order);
  if (leftNow === 0) return;
  const { id: reference, sellerId: accountId, currency } = order;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ accountId, pot: 'EARNED', amountCents: leftNow - feeCents }),
      ...nonZero({ account: fees, amountCents: feeCents }),
      { account: escrow, amountCents: -leftNow },
    ],
  });
};

/** The provider has given the disputed amount to the payer. Gives what of it was held for the order. */
export const loseDispute = async (
  tx: Transaction,
  order: StoredOrder,
  amountCents: number,
): Promise<number> => {
  const { id: reference, currency } = order;
  const taken = Math.min(amountCents, leftCents(order));
  if (amountCents === 0) return taken;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      ...nonZero({ account: escrow, amountCents: -taken }),
      ...nonZero({ account: losses, amountCents: taken - amountCents }),
      { account: providerAccounts.CARD, amountCents },
    ],
  });
  return taken;
};

/** What is held of an order that will not be completed any more, and was not disputed, is credit. */
export const releaseToBuyer = async (tx: Transaction, order: StoredOrder): Promise<void> => {
  const { id: reference, buyerId: accountId, currency } = order;
  const amountCents = leftCents(order);
  if (amountCents === 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      { account: escrow, amountCents: -amountCents },
      { accountId, pot: 'CREDIT', amountCents },
    ],
  });
};

/** Gives how much of it there was. */
export const holdCredit = async (
  tx: Transaction,
  { id: reference, buyerId: accountId, currency }: StoredOrder,
  wantedCents: number,
): Promise<number> => {
  const credit = { accountId, pot: 'CREDIT' } as const;
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
  { id: reference, buyerId: accountId, currency }: StoredOrder,
  amountCents: number,
): Promise<void> => {
  if (amountCents === 0) return;
  await post(tx, {
    ...{ type: 'ADJUSTMENT', reference, currency },
    postings: [
      { accountId, pot: 'CREDIT', amountCents },
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

const shares = (order: StoredOrder) => ({ leftNow: leftCents(order), feeCents: feeOfLeft(order) });

type Side = LedgerTransaction['postings'][number];

const nonZero = (side: Side): Side[] => (side.amountCents === 0 ? [] : [side]);
