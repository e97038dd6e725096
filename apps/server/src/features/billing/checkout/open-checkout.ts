import type { PaymentProvider, PlanName } from '@holdfast/contract';
import type { Database } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Secret } from '../../../kernel/secret.ts';
import { nameOfPlan } from '../card/plan-price.ts';
import { findCustomer } from '../queries/customers.ts';

/** The currency of plan prices. */
export const planCurrency = 'USD';

type Payer = {
  accountId: string;
  amountCents: number;
  /** The account's id at the card provider, if it has paid there before. */
  customerId?: string | undefined;
};
export type PlanCheckoutRequest = Payer & { invoiceId: string; plan: PlanName };
export type OrderCheckoutRequest = Payer & { orderId: string; title: string };
export type CheckoutRequest = PlanCheckoutRequest | OrderCheckoutRequest;

export type Checkout = { providerRef: string; payUrl: string; expiresAt: Date };

/** Undefined: the provider did not answer in time, refused, or answered nonsense. The log says which. */
export type CheckoutProvider = (request: CheckoutRequest) => Promise<Checkout | undefined>;

/** One for each provider that is set up. */
export type CheckoutProviders = Partial<Record<PaymentProvider, CheckoutProvider>>;

export type ProviderAccess = { apiUrl: string; key: Secret };

export type ProviderDependencies = { access: ProviderAccess; baseUrl: string; log: Log };

/** The HTTP request that waits for the checkout times out after 4.5 seconds, and must still write a row. */
export const timeoutMs = 3500;
export const maxAnswerBytes = 256 * 1024;
export const lifetimeMinutes = 60;

export const paidPath = '/billing/paid';
export const cancelledPath = '/billing/cancelled';

const providerNames: Record<PaymentProvider, string> = {
  CARD: 'card provider',
  CRYPTO: 'cryptocurrency provider',
};

/** Asks the provider for a checkout. A refusal is the message for the caller. */
export const openCheckout = async (
  db: Database,
  providers: CheckoutProviders,
  payWith: PaymentProvider,
  request: CheckoutRequest,
): Promise<Checkout | { refusal: string }> => {
  const provider = providers[payWith];
  const name = providerNames[payWith];
  if (!provider) return { refusal: `No ${name} is set up here` };
  const customerId = await findCustomer(db, request.accountId);
  const checkout = await provider({ ...request, customerId });
  return checkout ?? { refusal: `The ${name} cannot be reached now: try again later` };
};

/** The id by which the provider's events name the invoice or order. */
export const referenceOf = (request: CheckoutRequest): string =>
  'orderId' in request ? request.orderId : request.invoiceId;

/** Where the provider sends the browser back, with what it paid for. */
export const returnPath = (path: string, request: CheckoutRequest): string =>
  `${path}?${'orderId' in request ? 'order' : 'invoice'}=${referenceOf(request)}`;

/** What the payer reads at the provider. */
export const descriptionOf = (request: CheckoutRequest): string =>
  'orderId' in request ? request.title : nameOfPlan(request.plan);
