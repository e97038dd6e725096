import type { PaymentProvider } from '@holdfast/contract';
import { cardCheckoutProvider } from '../features/billing/checkout/card-checkout.ts';
import { cryptoCheckoutProvider } from '../features/billing/checkout/crypto-checkout.ts';
import type {
  CheckoutProvider,
  ProviderAccess,
} from '../features/billing/checkout/open-checkout.ts';
import { cryptoWebhookPath } from '../features/billing/crypto/webhook.ts';
import type { BillingSettings } from '../features/billing/events/process-event.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/** Addresses and keys of the payment providers; undefined if one is not configured. */
export type PayAccess = { card: ProviderAccess | undefined; crypto: ProviderAccess | undefined };

type Dependencies = {
  pay: PayAccess;
  billing: Pick<BillingSettings, 'cryptoProvider'>;
  baseUrl: string;
  clock: Clock;
  log: Log;
};

export const createPayProviders = ({
  pay: { card, crypto },
  billing,
  ...rest
}: Dependencies): Partial<Record<PaymentProvider, CheckoutProvider>> => ({
  CARD: card && cardCheckoutProvider({ ...rest, access: card }),
  CRYPTO:
    crypto &&
    cryptoCheckoutProvider({
      ...rest,
      access: crypto,
      callbackPath: cryptoWebhookPath(billing.cryptoProvider),
    }),
});
