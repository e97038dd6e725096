import type { Transaction } from '../../../db/connect.ts';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { holdAccount, isUser, wasDeletedBy } from '../../accounts/queries.ts';
import { lockCustomer, nameCustomer } from '../customers/queries.ts';
import { wakeDisputes } from '../disputes/apply-dispute.ts';
import { listPaymentRefs, lockPaymentRefs, storePaymentRefs } from '../disputes/queries.ts';
import { claimWaitingEvents } from '../events/queries.ts';
import { markPaid } from '../invoices/queries.ts';
import { returnAbandoned } from '../pay/return-abandoned.ts';
import { creditWaitingRefund } from '../refunds/apply-refund.ts';
import { lockWaitingCharges } from '../refunds/queries.ts';
import { addFact, type Fact } from '../rules.ts';
import { billingActor, type Settlement } from '../tools.ts';
import { type ChangeTools, changeSubscription } from './change.ts';
import {
  type HeldSubscription,
  lockKnownPair,
  lockSubscription,
  lockWaitingSubscriptions,
  storeFacts,
} from './queries.ts';

/** What an event of the card provider tells about a subscription. */
export type SubscriptionNews = {
  about: 'subscription';
  providerRef: string;
  customerId: string | null;
  fact: Fact;
  /** The charges and payment intents that paid for it, where it tells of a payment. */
  paidBy?: string[];
  /** Only a checkout says whose it is. */
  claims?: { accountIds: string[]; invoiceId: string | null };
};

const actions: Record<Fact['kind'], string> = {
  checkout: 'subscription.attach',
  update: 'subscription.update',
  deletion: 'subscription.cancel',
  dispute: 'subscription.dispute',
  payment: 'subscription.renew',
  failure: 'subscription.payment_failed',
};

/**
 * Locks come in this order, here and everywhere: names of payments, the customer, subscriptions, the invoice, the user,
 * charges, balances, the audit chain. Without a user the fact is kept; whoever turns out to be the user
 * gets all that is known by then.
 */
export const applyFact = async (
  tx: Transaction,
  tools: ChangeTools,
  eventId: string,
  news: SubscriptionNews,
): Promise<Settlement> => {
  const { providerRef, customerId, fact, claims, paidBy = [] } = news;
  await lockPaymentRefs(tx, paidBy);
  await storePaymentRefs(tx, providerRef, paidBy);
  const { held, customer } = await lockBoth(tx, providerRef, customerId);
  const claimant = held.accountId === null ? await findClaimant(tx, claims?.accountIds) : undefined;
  const accountId = held.accountId ?? claimant?.accountId ?? customer?.accountId ?? null;
  const facts = addFact(held.facts, fact);
  if (accountId === null) {
    const isAbandoned = held.facts.isAbandoned || claimant !== undefined;
    const kept = isAbandoned ? { ...facts, isAbandoned } : facts;
    await storeFacts(tx, held.id, { facts: kept, customerId });
    if (isAbandoned) await giveBack(tx, tools, providerRef, await listPaymentRefs(tx, providerRef));
    return { outcome: 'UNMATCHED', accountId, subjectRef: providerRef };
  }
  const isNews = held.accountId === null || canonicalJson(facts) !== canonicalJson(held.facts);
  const found = customerId !== null && customer?.accountId === null ? customerId : undefined;
  const waiting = found === undefined ? [] : await lockWaitingSubscriptions(tx, found);
  if (claims?.invoiceId) await markPaid(tx, { invoiceId: claims.invoiceId, accountId });
  const entries: AuditedChange[] = [];
  if (isNews) {
    const change = { accountId, facts, actor: billingActor, action: actions[fact.kind] };
    const events = [...(await waitedFor(tx, held, accountId)), eventId];
    entries.push(...(await changeSubscription(tx, tools, held, { ...change, events })));
  }
  if (found !== undefined) {
    const subscriptions = waiting.filter(({ id }) => id !== held.id);
    const link = { customerId: found, accountId, subscriptions };
    entries.push(...(await linkCustomer(tx, tools, link)));
  }
  const refs = held.accountId === null ? await listPaymentRefs(tx, providerRef) : paidBy;
  await wakeDisputes(tx, tools, eventId, refs);
  await recordAudits(tx, entries);
  const isRenewal = fact.kind === 'payment' && paidBy.length > 0;
  // The provider charged it after its account was deleted and before it was cancelled.
  if (isRenewal && (await wasDeletedBy(tx, accountId, new Date(fact.at * 1000)))) {
    await giveBack(tx, tools, providerRef, paidBy);
  }
  return { outcome: isNews ? 'APPLIED' : 'IGNORED', accountId, subjectRef: providerRef };
};

/** The customer first. What is not there yet is made. */
const lockBoth = async (tx: Transaction, providerRef: string, customerId: string | null) => {
  const known = customerId !== null && (await lockKnownPair(tx, { customerId, providerRef }));
  if (known) return { held: known, customer: { accountId: known.customersUserId } };
  const customer = customerId === null ? undefined : await lockCustomer(tx, customerId);
  const held = await lockSubscription(tx, { provider: 'CARD', providerRef, customerId });
  return { held, customer };
};

/** It is known now whose customer that is: so are the subscriptions and refunds that waited for it. */
const linkCustomer = async (
  tx: Transaction,
  tools: ChangeTools,
  found: { customerId: string; accountId: string; subscriptions: HeldSubscription[] },
): Promise<AuditedChange[]> => {
  const { customerId, accountId } = found;
  const entries: AuditedChange[] = [];
  await nameCustomer(tx, customerId, accountId);
  for (const held of found.subscriptions) {
    const events = await waitedFor(tx, held, accountId);
    const change = { accountId, facts: held.facts, actor: billingActor, events };
    const action = actions.checkout;
    entries.push(...(await changeSubscription(tx, tools, held, { ...change, action })));
  }
  for (const charge of await lockWaitingCharges(tx, customerId)) {
    entries.push(...(await creditWaitingRefund(tx, charge, accountId)));
  }
  return entries;
};

const waitedFor = async (
  tx: Transaction,
  held: HeldSubscription,
  accountId: string,
): Promise<string[]> =>
  held.accountId === null ? claimWaitingEvents(tx, held.providerRef, accountId) : [];

/**
 * The first that is one of ours: whatever stands in a checkout was put there by somebody. An account that
 * is deleted gets nothing any more, and one that is not cannot be before this is committed.
 */
const findClaimant = async (
  tx: Transaction,
  accountIds: string[] = [],
): Promise<{ accountId: string | null } | undefined> => {
  for (const accountId of accountIds) {
    if (await holdAccount(tx, accountId)) return { accountId };
    if (await isUser(tx, accountId)) return { accountId: null };
  }
  return undefined;
};

const giveBack = async (
  tx: Transaction,
  { queue }: ChangeTools,
  subscriptionRef: string,
  paymentRefs: string[],
): Promise<void> => {
  await queue.enqueue(tx, returnAbandoned, { subscriptionRef, paymentRefs });
};
