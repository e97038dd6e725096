import { type billingEndpoints, type DashboardEndpoints, marketCurrency } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import { conflict } from '../../kernel/errors.ts';
import { findPlan } from '../accounts/queries.ts';
import type { CardRefusal } from './card/ask-provider.ts';
import type { CardCustomers } from './card/customer-client.ts';
import { type CreateInvoiceDependencies, prepareInvoice } from './checkout/create-invoice.ts';
import type { OrderPayments } from './events/order-payments.ts';
import { findPots, listLedger } from './ledger/queries.ts';
import { findCardSubscription } from './queries/card-subscriptions.ts';
import { findCustomer } from './queries/customers.ts';
import { listEvents } from './queries/events.ts';
import { listStandings } from './queries/subscriptions.ts';
import { nextPlanOf } from './rules.ts';
import {
  type ManageDependencies,
  prepareChange,
  refusals,
} from './subscriptions/manage-subscription.ts';
import { renewalOf } from './subscriptions/renewal.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const billingHandlers = (
  dependencies: CreateInvoiceDependencies & ManageDependencies,
): Handlers<typeof billingEndpoints> => ({
  async listLedger(db, { account, query }) {
    const { rows, total } = await listLedger(db, account.accountId, query);
    const { earningsClearDays } = dependencies.billing;
    const clearsAt = ({ createdAt }: { createdAt: Date }) =>
      new Date(createdAt.getTime() + earningsClearDays * dayMs);
    return {
      rows: rows.map((row) => ({ ...row, clearsAt: row.type === 'SALE' ? clearsAt(row) : null })),
      total,
    };
  },

  listBillingEvents: (db, { account, query }) => listEvents(db, account.accountId, query),

  createInvoice: {
    async askFirst(db, { account: { accountId }, body: { plan, payWith } }) {
      const create = await prepareInvoice(db, dependencies, { accountId, plan, payWith });
      return (tx, { actor }) => create(tx, actor);
    },
  },

  changeSubscription: {
    async askFirst(db, { account: { accountId }, body: { plan } }) {
      const { priceCents: amountCents } = dependencies.limitsOf(plan);
      const request = { kind: 'change', plan, amountCents } as const;
      const change = await prepareChange(db, dependencies, accountId, request);
      return (tx, { actor }) => change(tx, actor);
    },
  },

  cancelSubscription: {
    async askFirst(db, { account: { accountId } }) {
      const change = await prepareChange(db, dependencies, accountId, { kind: 'cancel' });
      return (tx, { actor }) => change(tx, actor);
    },
  },

  resumeSubscription: {
    async askFirst(db, { account: { accountId } }) {
      const change = await prepareChange(db, dependencies, accountId, { kind: 'resume' });
      return (tx, { actor }) => change(tx, actor);
    },
  },
});

type BillingViews = Pick<
  DashboardEndpoints,
  'getBillingStanding' | 'previewUpgrade' | 'listReceipts' | 'openBillingPortal'
>;

type BillingViewDependencies = Pick<CreateInvoiceDependencies, 'limitsOf'> & {
  orders: Pick<OrderPayments, 'findClearing'>;
  cardCustomers: CardCustomers | undefined;
  baseUrl: string;
};

export const billingDashboardHandlers = ({
  cardCustomers,
  limitsOf,
  orders,
  baseUrl,
}: BillingViewDependencies): Handlers<BillingViews> => ({
  async getBillingStanding(db, { account: { accountId } }) {
    const holder = { accountId, currency: marketCurrency };
    const pots = await findPots(db, holder);
    const unclearedCents = await orders.findClearing(db, holder);
    // Plans may be paid with earnings that have not cleared.
    const clearingCents = Math.min(Math.max(0, pots.earnedCents), unclearedCents);
    const plan = (await findPlan(db, accountId)) ?? 'FREE';
    const renewal = renewalOf(plan, await listStandings(db, accountId));
    const card = await findCardSubscription(db, accountId);
    return {
      ...{ ...renewal, ...pots, clearingCents, currency: marketCurrency },
      card: card
        ? {
            ...{ plan: card.facts.plan?.name ?? card.plan, status: card.status },
            ...{ currentPeriodEnd: card.currentPeriodEnd, cancelledAt: card.cancelledAt },
            nextPlan: nextPlanOf(card.facts),
          }
        : null,
      hasReceipts: cardCustomers !== undefined && (await findCustomer(db, accountId)) !== undefined,
    };
  },

  async previewUpgrade(db, { account: { accountId }, query: { plan } }) {
    const card = await findCardSubscription(db, accountId);
    if (!card || !cardCustomers) throw conflict(refusals.MISSING);
    const price = { plan, amountCents: limitsOf(plan).priceCents };
    return orRefuse(await cardCustomers.previewUpgrade(card.providerRef, price));
  },

  async listReceipts(db, { account: { accountId } }) {
    const customerId = await findCustomer(db, accountId);
    if (!cardCustomers || customerId === undefined) return [];
    return orRefuse(await cardCustomers.listReceipts(customerId)).receipts;
  },

  openBillingPortal: {
    async askFirst(db, { account: { accountId } }) {
      const customerId = await findCustomer(db, accountId);
      if (!cardCustomers || customerId === undefined) {
        return async () => {
          throw conflict(refusals.MISSING);
        };
      }
      const opened = await cardCustomers.openPortal(customerId, `${baseUrl}/dashboard/billing`);
      return async () => orRefuse(opened);
    },
  },
});

const orRefuse = <Answer extends object>(answer: Answer | { refusal: CardRefusal }): Answer => {
  if ('refusal' in answer) throw conflict(refusals[answer.refusal]);
  return answer;
};
