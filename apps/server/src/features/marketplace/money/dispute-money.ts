import type { Transaction } from '../../../db/connect.ts';
import { lockBalance } from '../../billing/ledger/queries.ts';
import type { StoredOrder } from '../queries/orders.ts';
import { feeOfRemaining, remainingCents } from '../rules.ts';
import {
  card,
  creditOf,
  earningsOf,
  escrow,
  fees,
  losses,
  nonZero,
  postForOrder,
} from './order-money.ts';

/** Credit that is held while the charge it came from is disputed. */
const disputes = { account: 'platform:disputes' } as const;

const adjustment = ({ currency }: StoredOrder) => ({ type: 'ADJUSTMENT', currency }) as const;

/** Moves the seller's earnings and the fee back to escrow, even if the seller comes to owe them. */
export const moveToEscrow = (tx: Transaction, order: StoredOrder) =>
  moveEarnings(tx, order, { sign: -1 });

export const releaseToSeller = (tx: Transaction, order: StoredOrder) =>
  moveEarnings(tx, order, { sign: 1 });

const moveEarnings = async (tx: Transaction, order: StoredOrder, { sign }: { sign: 1 | -1 }) => {
  const remaining = remainingCents(order);
  const feeCents = feeOfRemaining(order);
  if (remaining === 0) return;
  await postForOrder(tx, order, adjustment(order), [
    ...nonZero({ ...earningsOf(order), amountCents: sign * (remaining - feeCents) }),
    ...nonZero({ ...fees, amountCents: sign * feeCents }),
    { ...escrow, amountCents: -sign * remaining },
  ]);
};

/** The provider has returned the disputed amount to the payer. Returns the part that came from escrow. */
export const loseDispute = async (tx: Transaction, order: StoredOrder, amountCents: number) => {
  const escrowed = Math.min(amountCents, remainingCents(order));
  if (amountCents === 0) return escrowed;
  await postForOrder(tx, order, adjustment(order), [
    ...nonZero({ ...escrow, amountCents: -escrowed }),
    ...nonZero({ ...losses, amountCents: escrowed - amountCents }),
    { ...card, amountCents },
  ]);
  return escrowed;
};

/** Gives what is left in escrow of an order that will not be completed to the buyer, as credit. */
export const releaseToBuyer = async (tx: Transaction, order: StoredOrder) => {
  const amountCents = remainingCents(order);
  if (amountCents === 0) return;
  await postForOrder(tx, order, adjustment(order), [
    { ...escrow, amountCents: -amountCents },
    { ...creditOf(order), amountCents },
  ]);
};

/** Returns how much credit there was to hold. */
export const holdCredit = async (tx: Transaction, order: StoredOrder, maxCents: number) => {
  const credit = creditOf(order);
  const balanceCents = await lockBalance(tx, { ...credit, currency: order.currency });
  const amountCents = Math.min(maxCents, balanceCents);
  if (amountCents <= 0) return 0;
  await postForOrder(tx, order, adjustment(order), [
    { ...credit, amountCents: -amountCents },
    { ...disputes, amountCents },
  ]);
  return amountCents;
};

export const releaseCredit = async (tx: Transaction, order: StoredOrder, amountCents: number) => {
  if (amountCents === 0) return;
  await postForOrder(tx, order, adjustment(order), [
    { ...creditOf(order), amountCents },
    { ...disputes, amountCents: -amountCents },
  ]);
};

/** Credit that was spent meanwhile is the platform's loss. */
export const loseCredit = async (
  tx: Transaction,
  order: StoredOrder,
  { heldCents, lostCents }: { heldCents: number; lostCents: number },
) => {
  if (lostCents <= 0) return;
  await postForOrder(tx, order, adjustment(order), [
    ...nonZero({ ...disputes, amountCents: -heldCents }),
    ...nonZero({ ...losses, amountCents: heldCents - lostCents }),
    { ...card, amountCents: lostCents },
  ]);
};
