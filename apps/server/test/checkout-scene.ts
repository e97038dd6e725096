import { expect } from 'bun:test';
import { type CardEvent, cardEvent, newRef, sendCard } from './billing-scene.ts';
import type { TestService } from './harness.ts';
import { returnLatePayments } from './late-payments.ts';

/** A checkout of an order of 2000 cents at the card provider, and what it tells of it. */
export const checkoutFor = (orderId: string, buyer: { accountId: string }) => {
  const [id, intent, charge] = [newRef('cs'), newRef('pi'), newRef('ch')];
  const metadata = { orderId, accountId: buyer.accountId };
  return {
    paid: (more: object = {}) =>
      cardEvent('checkout.session.completed', {
        ...{ id, mode: 'payment', payment_status: 'paid', payment_intent: intent, metadata },
        ...{ amount_total: 2000, currency: 'usd', ...more },
      }),
    disputed: (state: 'needs_response' | 'won' | 'lost', more: object = {}) =>
      cardEvent(`charge.dispute.${state === 'needs_response' ? 'created' : 'closed'}`, {
        ...{ id: `dp_${charge}`, object: 'dispute', charge, payment_intent: intent },
        ...{ amount: 2000, currency: 'usd', status: state, ...more },
      }),
    refunded: (cents: number, more: object = {}) =>
      cardEvent('charge.refunded', {
        ...{ id: charge, payment_intent: intent, amount_refunded: cents, currency: 'usd' },
        ...{ metadata, ...more },
      }),
  };
};

/** One after the other, as the provider sends them; what came too late is given back in between. */
export const sendEvents = async (service: TestService, ...events: CardEvent[]): Promise<void> => {
  for (const event of events) {
    expect((await sendCard(service, event)).status).toBe(200);
    await returnLatePayments(service.db);
  }
};
