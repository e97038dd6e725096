import type { PlanName } from '@holdfast/contract';
import type { Log } from '../../../kernel/log.ts';
import type { Secret } from '../../../kernel/secret.ts';

/** Prices of plans are in this. */
export const planCurrency = 'USD';

type Payer = {
  accountId: string;
  amountCents: number;
  /** By which the card provider knows them already. */
  customerId?: string | undefined;
};
export type PlanDemand = Payer & { invoiceId: string; plan: PlanName };
export type OrderDemand = Payer & { orderId: string; title: string };

/** What somebody is to pay, and how the provider is to name it to us afterwards. */
export type Demand = PlanDemand | OrderDemand;

/** Where it can be paid, and until when. */
export type Offer = { providerRef: string; payUrl: string; expiresAt: Date };

/** Undefined: it could not be reached in time, refused, or made no sense. The log says which. */
export type AskForOffer = (demand: Demand) => Promise<Offer | undefined>;

export type ProviderAccess = { apiUrl: string; key: Secret };

export type ProviderTools = { access: ProviderAccess; baseUrl: string; log: Log };

/** The request that waits for it is given up after 4.5 seconds, and still has a row to write. */
export const patienceMs = 3500;
export const largestAnswerBytes = 256 * 1024;
export const lifetimeMinutes = 60;

export const paidPath = '/billing/paid';
export const cancelledPath = '/billing/cancelled';

/** Under which the provider tells us of it. */
export const paidForOf = (demand: Demand): string =>
  'orderId' in demand ? demand.orderId : demand.invoiceId;

/** What the payer reads that they pay for. */
export const nameOf = (demand: Demand): string =>
  'orderId' in demand ? demand.title : nameOfPlan(demand.plan);

const nameOfPlan = (plan: PlanName): string =>
  `Holdfast ${plan.charAt(0)}${plan.slice(1).toLowerCase()}`;
