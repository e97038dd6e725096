import { cardSubscription, sendCard } from '../harness/billing/events.ts';
import type { Client } from './client.ts';
import type { Protocol } from './protocol.ts';

/** The card provider, which sends every event twice, and again until it is taken. */
export type Payments = { payOnce(): Promise<void>; sent(): number };

export const createPayments = (
  { client, accountId }: { client: Client; accountId: string },
  { count }: Protocol,
): Payments => {
  const subscription = cardSubscription(accountId);
  let events = 0;
  const deliver = async (event: Parameters<typeof sendCard>[1]) => {
    for (const _ of ['first', 'again']) {
      const { status, text } = await sendCard(client, event);
      if (status !== 200) throw new Error(`An event was answered ${status}: ${text}`);
    }
    events++;
    count('payments taken');
  };
  return {
    async payOnce() {
      if (events === 0) await deliver(subscription.checkout('ENTERPRISE'));
      const inAMonth = Math.floor(Date.now() / 1000) + 30 * 86_400;
      await deliver(subscription.payment(inAMonth));
    },
    sent: () => events,
  };
};
