import type { PaymentMethod, PaymentProvider, PlanName } from '@holdfast/contract';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { lockAccount } from '../../accounts/queries.ts';
import { recordAudit } from '../../audit/queries.ts';
import { closeCheckout } from '../card/jobs.ts';
import { findCardSubscription } from '../queries/card-subscriptions.ts';
import {
  countPayableInvoices,
  insertInvoice,
  listOpenCheckouts,
  type NewInvoice,
} from '../queries/invoices.ts';
import type { ChangeDependencies } from '../subscriptions/change-subscription.ts';
import {
  type Checkout,
  type CheckoutProviders,
  openCheckout,
  planCurrency,
} from './open-checkout.ts';
import { payFromBalance } from './pay-from-balance.ts';

export type CreateInvoiceDependencies = ChangeDependencies & {
  providers: CheckoutProviders;
  /** What a plan costs for a month. */
  limitsOf(plan: PlanName): { priceCents: number };
};

/** Bounds the checkouts that an account can make at the providers; unpaid invoices expire after an hour. */
const maxPayableInvoices = 50;

const tooManyMessage = `${maxPayableInvoices} invoices wait to be paid already: pay one, or wait until they expire`;

const subscribedMessage =
  'You have a card subscription already: change it to another plan, or cancel it, instead of paying for a second one';

const freePlanMessage = (plan: PlanName): string => `There is nothing to pay for the ${plan} plan`;

type InvoiceRequest = { accountId: string; plan: PlanName; payWith: PaymentMethod };

/** Asks the provider for a checkout; the returned function stores the invoice, or pays it from the balance. */
export const prepareInvoice = async (
  db: Database,
  dependencies: CreateInvoiceDependencies,
  { accountId, plan, payWith }: InvoiceRequest,
) => {
  const { priceCents: amountCents } = dependencies.limitsOf(plan);
  const price = { amountCents, currency: planCurrency };
  const id = newId();
  if (payWith === 'BALANCE') {
    return async (tx: Transaction, actor: Actor) => {
      if (amountCents === 0) throw conflict(freePlanMessage(plan));
      const invoice = { id, accountId, plan, ...price };
      const expiresAt = await payFromBalance(tx, dependencies, invoice, actor);
      return { id, payUrl: null, ...price, expiresAt };
    };
  }
  const invoice = { id, accountId, plan, payWith, ...price };
  const checkout = await openPlanCheckout(db, dependencies, invoice);
  return async (tx: Transaction, actor: Actor) => {
    if ('refusal' in checkout) throw conflict(checkout.refusal);
    const { payUrl, expiresAt } = checkout;
    await storeInvoice(tx, dependencies, { ...invoice, ...checkout }, actor);
    return { id, payUrl, ...price, expiresAt };
  };
};

type PlanInvoice = Omit<NewInvoice, keyof Checkout | 'payWith'> & { payWith: PaymentProvider };

const openPlanCheckout = async (
  db: Database,
  { clock, providers }: CreateInvoiceDependencies,
  { id: invoiceId, accountId, plan, payWith, amountCents }: PlanInvoice,
): Promise<Checkout | { refusal: string }> => {
  if (amountCents === 0) return { refusal: freePlanMessage(plan) };
  if (payWith === 'CARD' && (await hasCardPlan(db, accountId))) {
    return { refusal: subscribedMessage };
  }
  if ((await countPayableInvoices(db, accountId, clock.now())) >= maxPayableInvoices) {
    return { refusal: tooManyMessage };
  }
  return openCheckout(db, providers, payWith, { invoiceId, accountId, plan, amountCents });
};

/** One whose grace time is over gives nothing: the account may begin anew, which ends the old one. */
const hasCardPlan = async (db: Queryable, accountId: string): Promise<boolean> => {
  const subscription = await findCardSubscription(db, accountId);
  return subscription !== undefined && subscription.plan !== 'FREE';
};

const storeInvoice = async (
  tx: Transaction,
  { clock, queue }: CreateInvoiceDependencies,
  invoice: NewInvoice,
  actor: Actor,
): Promise<void> => {
  const { id, accountId, plan, payWith, amountCents, currency } = invoice;
  await lockAccount(tx, accountId);
  if ((await countPayableInvoices(tx, accountId, clock.now())) >= maxPayableInvoices) {
    throw conflict(tooManyMessage);
  }
  if (payWith === 'CARD') {
    if (await hasCardPlan(tx, accountId)) throw conflict(subscribedMessage);
    // Only the newest checkout can be paid: two would be two subscriptions.
    for (const { checkoutRef } of await listOpenCheckouts(tx, accountId)) {
      await queue.enqueue(tx, closeCheckout, { checkoutRef, accountId });
    }
  }
  await insertInvoice(tx, invoice);
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'invoice.create',
    subject: { type: 'invoice', id },
    changes: { plan, payWith, amountCents, currency },
  });
};
