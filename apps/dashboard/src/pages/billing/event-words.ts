import type { BillingOutcome } from '@holdfast/contract';

const typeWords: Record<string, string> = {
  'checkout.session.completed': 'A checkout was completed',
  'customer.subscription.updated': 'The subscription changed',
  'customer.subscription.deleted': 'The subscription was cancelled',
  'invoice.payment_succeeded': 'A payment succeeded',
  'invoice.payment_failed': 'A payment failed',
  'charge.refunded': 'A charge was refunded',
  Paid: 'Coins were paid',
  Confirming: 'Coins are being confirmed',
  Waiting: 'Coins are waited for',
  Expired: 'A payment in coins expired',
  Failed: 'A payment in coins failed',
};

/** What arrived, in words where there are some. */
export const eventWords = (type: string): string =>
  Object.hasOwn(typeWords, type) ? (typeWords[type] ?? type) : type;

export const outcomeWords: Record<BillingOutcome, string> = {
  APPLIED: 'It changed something.',
  IGNORED: 'There was nothing left to change.',
  UNMATCHED: 'It waits for what it belongs to.',
  MISMATCH: 'What was paid is not what was asked for: nothing was changed.',
};
