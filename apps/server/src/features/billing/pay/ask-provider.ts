import type { PaymentProvider } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import type { AskForOffer, Demand, Offer } from './provider.ts';
import { findCustomerOf } from './queries.ts';

/** One for each provider that is set up. */
export type PayProviders = Partial<Record<PaymentProvider, AskForOffer>>;

const providerNames: Record<PaymentProvider, string> = {
  CARD: 'card provider',
  CRYPTO: 'cryptocurrency provider',
};

/** Where it can be paid, or why nowhere, in words. */
export const askProvider = async (
  db: Database,
  providers: PayProviders,
  payWith: PaymentProvider,
  demand: Demand,
): Promise<Offer | { refusal: string }> => {
  const ask = providers[payWith];
  const name = providerNames[payWith];
  if (!ask) return { refusal: `No ${name} is set up here` };
  const customerId = await findCustomerOf(db, demand.accountId);
  const offer = await ask({ ...demand, customerId });
  return offer ?? { refusal: `The ${name} cannot be reached now: try again later` };
};
