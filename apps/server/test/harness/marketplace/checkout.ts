import { expect } from 'bun:test';
import type { Database } from '../../../src/db/connect.ts';
import { createCardClient } from '../../../src/features/billing/card/client.ts';
import { returnPayment } from '../../../src/features/marketplace/payments/return-payment.ts';
import { listReturningPayments } from '../../../src/features/marketplace/queries/order-payments.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { cardEvent, newRef, type RawCardEvent, sendCard } from '../billing/events.ts';
import type { TestService } from '../service.ts';
import { sharedSimulator } from '../simulator/start.ts';

/** A checkout of an order of 2000 cents at the card provider, and what it tells of it. */
export const checkoutFor = (orderId: string, buyer: { accountId: string }) => {
  const [id, intent, charge] = [newRef('cs'), newRef('pi'), newRef('ch')];
  const metadata = { orderId, userId: buyer.accountId };
  const tell = (event: string, payment_status: string, more: object) =>
    cardEvent(`checkout.session.${event}`, {
      ...{ id, mode: 'payment', payment_status, payment_intent: intent, metadata },
      ...{ amount_total: 2000, currency: 'usd', ...more },
    });
  return {
    paid: (more: object = {}) => tell('completed', 'paid', more),
    /** The money of a delayed method is on its way; then it arrives, or it does not. */
    delayed: (more: object = {}) => tell('completed', 'unpaid', more),
    arrived: (more: object = {}) => tell('async_payment_succeeded', 'paid', more),
    bounced: (more: object = {}) => tell('async_payment_failed', 'unpaid', more),
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

/** Sends events in order; refunds late payments after each. */
export const sendEvents = async (
  service: TestService,
  ...events: RawCardEvent[]
): Promise<void> => {
  for (const event of events) {
    expect((await sendCard(service, event)).status).toBe(200);
    await returnLatePayments(service.db);
  }
};

/** Refunds late payments as the job does, at the simulator, which refuses unknown payments. */
export const returnLatePayments = async (db: Database): Promise<void> => {
  const access = { apiUrl: (await sharedSimulator()).url, key: new Secret('sk_test_any') };
  const card = createCardClient(access);
  const later = new Date(Date.now() + 86_400_000);
  for (const { id } of await listReturningPayments(db, later, 1000))
    await returnPayment({ db, card }, id);
};
