import type { PaymentProvider } from '@holdfast/contract';
import { cryptoWebhookPath } from '../features/billing/crypto/webhook.ts';
import { askCardProvider } from '../features/billing/pay/card.ts';
import { askCryptoProvider } from '../features/billing/pay/crypto.ts';
import type { AskForOffer, ProviderAccess } from '../features/billing/pay/provider.ts';
import type { BillingSettings } from '../features/billing/tools.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/** How we reach the payment providers; undefined where one is not set up. */
export type PayAccess = { card: ProviderAccess | undefined; crypto: ProviderAccess | undefined };

type Tools = {
  pay: PayAccess;
  billing: Pick<BillingSettings, 'cryptoProvider'>;
  baseUrl: string;
  clock: Clock;
  log: Log;
};

export const createPayProviders = ({
  pay: { card, crypto },
  billing,
  ...tools
}: Tools): Partial<Record<PaymentProvider, AskForOffer>> => ({
  CARD: card && askCardProvider({ ...tools, access: card }),
  CRYPTO:
    crypto &&
    askCryptoProvider({
      ...tools,
      access: crypto,
      callbackPath: cryptoWebhookPath(billing.cryptoProvider),
    }),
});
