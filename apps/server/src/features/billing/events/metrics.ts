import type { BillingOutcome, PaymentProvider } from '@holdfast/contract';
import { Counter, type Registry } from 'prom-client';

export type BillingMetrics = ReturnType<typeof createBillingMetrics>;

export const createBillingMetrics = (registry: Registry) => {
  const events = new Counter({
    name: 'holdfast_billing_events_total',
    help: 'Events of the payment providers by what became of them, without copies',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  // Begun at zero, so that the first one is seen as an increase.
  for (const provider of ['CARD', 'CRYPTO']) events.inc({ provider, outcome: 'MISMATCH' }, 0);
  return {
    countEvent: (provider: PaymentProvider, outcome: BillingOutcome) =>
      events.inc({ provider, outcome }),
  };
};
