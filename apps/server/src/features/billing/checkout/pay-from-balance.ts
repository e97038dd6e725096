import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { forbidden } from '../../../kernel/errors.ts';
import { recordAudits } from '../../audit/queries.ts';
import { post } from '../ledger/post.ts';
import { lockPots } from '../ledger/queries.ts';
import { insertInvoice, type NewInvoice } from '../queries/invoices.ts';
import { lockSubscription } from '../queries/subscriptions.ts';
import { addMonth, prepaidRef, standingOf } from '../rules.ts';
import {
  type ChangeDependencies,
  changeSubscription,
} from '../subscriptions/change-subscription.ts';

/** The ledger account that receives payments for plans. */
const plansAccount = 'platform:plans';

type BalanceInvoice = Pick<NewInvoice, 'id' | 'accountId' | 'plan' | 'amountCents' | 'currency'>;

/**
 * Pays a plan for 30 days, from credit first and then from earnings. Locks are taken in the order of
 * `applySubscriptionEvent`: the subscription, the invoice, the account, both pots. Returns when the plan ends.
 */
export const payFromBalance = async (
  tx: Transaction,
  dependencies: ChangeDependencies,
  { id, accountId, plan, amountCents, currency }: BalanceInvoice,
  actor: Actor,
): Promise<Date> => {
  const now = dependencies.clock.now();
  const subscription = await lockSubscription(tx, {
    ...{ provider: 'BALANCE', providerRef: prepaidRef({ accountId, plan }), customerId: null },
  });
  const facts = addMonth(subscription.facts, plan, now);
  const expiresAt = standingOf(facts, now, dependencies.billing.graceDays).currentPeriodEnd;
  await insertInvoice(tx, {
    ...{ id, accountId, plan, payWith: 'BALANCE', amountCents, currency },
    ...{ providerRef: null, payUrl: null, expiresAt, paidAt: now },
  });
  const change = { accountId, facts, actor, action: 'invoice.pay' as const };
  const changed = await changeSubscription(tx, dependencies, subscription, change);
  const paidCents = await debitPots(tx, { accountId, currency, amountCents, reference: id });
  await recordAudits(tx, [
    ...changed,
    {
      ...{ accountId, actor, action: 'invoice.create', subject: { type: 'invoice', id } },
      changes: { plan, payWith: 'BALANCE', amountCents, currency, ...paidCents },
    },
  ]);
  return expiresAt;
};

type Price = { accountId: string; currency: string; amountCents: number; reference: string };

const debitPots = async (
  tx: Transaction,
  { accountId, currency, amountCents, reference }: Price,
): Promise<{ creditCents: number; earnedCents: number }> => {
  const pots = await lockPots(tx, { accountId, currency });
  const creditCents = Math.min(pots.creditCents, amountCents);
  const earnedCents = amountCents - creditCents;
  if (earnedCents > Math.max(0, pots.earnedCents)) throw forbidden('Your balance is too small');
  await post(tx, {
    ...{ type: 'PURCHASE', reference, onceKey: `invoice:${reference}`, currency },
    postings: [
      ...(creditCents > 0
        ? [{ accountId, pot: 'CREDIT' as const, amountCents: -creditCents }]
        : []),
      ...(earnedCents > 0
        ? [{ accountId, pot: 'EARNED' as const, amountCents: -earnedCents }]
        : []),
      { account: plansAccount, amountCents },
    ],
  });
  return { creditCents, earnedCents };
};
