import type { AuditAction } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import { canonicalJson } from '../../../kernel/json.ts';
import { accountExists, holdAccount, wasDeletedBefore } from '../../accounts/queries.ts';
import { type AuditedChange, recordAudits } from '../../audit/queries.ts';
import { cancelCardSubscription, returnAbandoned } from '../card/jobs.ts';
import { billingActor, type EventResult } from '../events/order-payments.ts';
import { creditWaitingRefund } from '../payments/apply-refund.ts';
import { enqueueWaitingDisputes } from '../payments/jobs.ts';
import { listLiveCardSubscriptions, liveStatuses } from '../queries/card-subscriptions.ts';
import { lockWaitingCharges } from '../queries/charges.ts';
import { assignCustomer, lockCustomer } from '../queries/customers.ts';
import { listPaymentRefs, lockPaymentRefs, storePaymentRefs } from '../queries/disputes.ts';
import { claimWaitingEvents } from '../queries/events.ts';
import { markInvoicePaid } from '../queries/invoices.ts';
import {
  lockExistingPair,
  lockSubscription,
  lockWaitingSubscriptions,
  type StoredSubscription,
  storeFacts,
} from '../queries/subscriptions.ts';
import { addFact, type Fact } from '../rules.ts';
import { type ChangeDependencies, changeSubscription } from './change-subscription.ts';

type ReportedFact = Exclude<Fact, { kind: 'dispute' }>;

/** An event of the card provider about a subscription. */
export type SubscriptionEvent = {
  about: 'subscription';
  providerRef: string;
  customerId: string | null;
  fact: ReportedFact;
  /** The charges and payment intents of the payment that the event reports. */
  paidBy?: string[];
  /** Only a checkout names an account. */
  claims?: { accountIds: string[]; invoiceId: string | null };
};

const actions: Record<ReportedFact['kind'], AuditAction> = {
  checkout: 'subscription.attach',
  update: 'subscription.update',
  schedule: 'subscription.update',
  deletion: 'subscription.cancel',
  payment: 'subscription.renew',
  failure: 'subscription.payment_failed',
};

/**
 * Adds the event's fact to its subscription. While the account is unknown the fact is only stored; once a
 * checkout names the account, everything stored by then takes effect.
 *
 * Locks are taken in this order, here and everywhere: payment refs, the customer, subscriptions, the invoice,
 * the account, charges, balances, the audit chain.
 */
export const applySubscriptionEvent = async (
  tx: Transaction,
  dependencies: ChangeDependencies,
  eventId: string,
  event: SubscriptionEvent,
): Promise<EventResult> => {
  const { providerRef, customerId, fact, claims, paidBy = [] } = event;
  await lockPaymentRefs(tx, paidBy);
  await storePaymentRefs(tx, providerRef, paidBy);
  const { subscription, customer } = await lockBoth(tx, providerRef, customerId);
  const isUnclaimed = subscription.accountId === null;
  const claimant = isUnclaimed ? await findClaimant(tx, claims?.accountIds) : undefined;
  const accountId = subscription.accountId ?? claimant?.accountId ?? customer?.accountId ?? null;
  const facts = addFact(subscription.facts, fact);
  if (accountId === null) {
    const isAbandoned = subscription.facts.isAbandoned || claimant !== undefined;
    const stored = isAbandoned ? { ...facts, isAbandoned } : facts;
    await storeFacts(tx, subscription.id, { facts: stored, customerId });
    if (isAbandoned) {
      await enqueueReturn(tx, dependencies, providerRef, await listPaymentRefs(tx, providerRef));
    }
    return { outcome: 'UNMATCHED', accountId, subjectRef: providerRef };
  }
  const isChanged = isUnclaimed || canonicalJson(facts) !== canonicalJson(subscription.facts);
  const newCustomerId = customer?.accountId === null ? customerId : null;
  const waiting = newCustomerId === null ? [] : await lockWaitingSubscriptions(tx, newCustomerId);
  const isUnpaid = fact.kind === 'checkout' && fact.isPaid === false;
  if (claims?.invoiceId && !isUnpaid) {
    await markInvoicePaid(tx, { id: claims.invoiceId, accountId });
  }
  const entries: AuditedChange[] = [];
  if (isChanged) {
    const change = { accountId, facts, actor: billingActor, action: actions[fact.kind] };
    const events = [...(await claimEvents(tx, subscription, accountId)), eventId];
    entries.push(
      ...(await changeSubscription(tx, dependencies, subscription, { ...change, events })),
    );
  }
  if (newCustomerId !== null) {
    const subscriptions = waiting.filter(({ id }) => id !== subscription.id);
    const link = { customerId: newCustomerId, accountId, subscriptions };
    entries.push(...(await linkCustomer(tx, dependencies, link)));
  }
  const mayHaveBegun = fact.kind === 'checkout' || !liveStatuses.includes(subscription.status);
  if (mayHaveBegun) await endReplaced(tx, dependencies, accountId);
  const paymentRefs = isUnclaimed ? await listPaymentRefs(tx, providerRef) : paidBy;
  await enqueueWaitingDisputes(tx, dependencies, { eventId, accountId }, paymentRefs);
  await recordAudits(tx, entries);
  const isRenewal = fact.kind === 'payment' && paidBy.length > 0;
  // The provider charged it after the account was deleted and before the subscription was cancelled.
  if (isRenewal && (await wasDeletedBefore(tx, accountId, new Date(fact.at * 1000)))) {
    await enqueueReturn(tx, dependencies, providerRef, paidBy);
  }
  return { outcome: isChanged ? 'APPLIED' : 'IGNORED', accountId, subjectRef: providerRef };
};

/**
 * An account has one card subscription. If two checkouts were paid, the newer one is what it chose. Some
 * are paid only after their checkout.
 */
const endReplaced = async (
  tx: Transaction,
  { queue }: ChangeDependencies,
  accountId: string,
): Promise<void> => {
  const [, ...replaced] = await listLiveCardSubscriptions(tx, accountId);
  for (const { providerRef } of replaced) {
    await queue.enqueue(tx, cancelCardSubscription, { providerRef, prorate: true, accountId });
  }
};

/** Locks the customer first. Inserts both if need be. */
const lockBoth = async (tx: Transaction, providerRef: string, customerId: string | null) => {
  const pair = customerId !== null && (await lockExistingPair(tx, { customerId, providerRef }));
  if (pair) return { subscription: pair, customer: { accountId: pair.customerAccountId } };
  const customer = customerId === null ? undefined : await lockCustomer(tx, customerId);
  const subscription = await lockSubscription(tx, { provider: 'CARD', providerRef, customerId });
  return { subscription, customer };
};

type CustomerLink = { customerId: string; accountId: string; subscriptions: StoredSubscription[] };

/** The customer's account has become known: subscriptions and refunds that waited for it take effect. */
const linkCustomer = async (
  tx: Transaction,
  dependencies: ChangeDependencies,
  { customerId, accountId, subscriptions }: CustomerLink,
): Promise<AuditedChange[]> => {
  const entries: AuditedChange[] = [];
  await assignCustomer(tx, customerId, accountId);
  for (const subscription of subscriptions) {
    const change = {
      ...{ accountId, facts: subscription.facts, actor: billingActor, action: actions.checkout },
      events: await claimEvents(tx, subscription, accountId),
    };
    entries.push(...(await changeSubscription(tx, dependencies, subscription, change)));
  }
  for (const charge of await lockWaitingCharges(tx, customerId)) {
    entries.push(...(await creditWaitingRefund(tx, charge, accountId)));
  }
  return entries;
};

const claimEvents = async (tx: Transaction, subscription: StoredSubscription, accountId: string) =>
  subscription.accountId === null
    ? claimWaitingEvents(tx, subscription.providerRef, accountId)
    : [];

/**
 * The first id that is an account of ours; a checkout may carry any text. A deleted account gives null; one
 * that is not deleted cannot be deleted before this transaction ends.
 */
export const findClaimant = async (
  tx: Transaction,
  accountIds: string[] = [],
): Promise<{ accountId: string | null } | undefined> => {
  for (const accountId of accountIds) {
    if (await holdAccount(tx, accountId)) return { accountId };
    if (await accountExists(tx, accountId)) return { accountId: null };
  }
  return undefined;
};

const enqueueReturn = async (
  tx: Transaction,
  { queue }: ChangeDependencies,
  subscriptionRef: string,
  paymentRefs: string[],
): Promise<void> => {
  await queue.enqueue(tx, returnAbandoned, { subscriptionRef, paymentRefs });
};
