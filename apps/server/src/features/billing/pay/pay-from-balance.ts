import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { notAllowed } from '../../../kernel/errors.ts';
import { recordAudits } from '../../audit/record-audits.ts';
import { post } from '../ledger/post.ts';
import { lockPots } from '../ledger/queries.ts';
import { addMonth, prepaidRef, standingOf } from '../rules.ts';
import { type ChangeTools, changeSubscription } from '../subscriptions/change.ts';
import { lockSubscription } from '../subscriptions/queries.ts';
import { insertInvoice, type NewInvoice } from './queries.ts';

/** What plans have brought in from balances. */
const plans = 'platform:plans';

type Wish = Pick<NewInvoice, 'id' | 'accountId' | 'plan' | 'amountCents' | 'currency'>;

/**
 * Pays a plan for 30 days at once, by credit first and then by what was earned. Locks come in the order of
 * `applyFact`: the subscription, the invoice, the user, both pots. Gives when the plan ends by then.
 */
export const payFromBalance = async (
  tx: Transaction,
  tools: ChangeTools,
  { id, accountId, plan, amountCents, currency }: Wish,
  actor: Actor,
): Promise<Date> => {
  const now = tools.clock.now();
  const named = { provider: 'BALANCE', providerRef: prepaidRef({ accountId, plan }) } as const;
  const held = await lockSubscription(tx, { ...named, customerId: null });
  const facts = addMonth(held.facts, plan, now);
  const expiresAt = standingOf(facts, now, tools.billing.graceDays).currentPeriodEnd;
  await insertInvoice(tx, {
    ...{ id, accountId, plan, payWith: 'BALANCE', amountCents, currency },
    ...{ providerRef: null, payUrl: null, expiresAt, paidAt: now },
  });
  const change = { accountId, facts, actor, action: 'invoice.pay' };
  const changed = await changeSubscription(tx, tools, held, change);
  const taken = await takeFromPots(tx, { accountId, currency, amountCents, reference: id });
  await recordAudits(tx, [
    ...changed,
    {
      ...{ accountId, actor, action: 'invoice.create', subject: { type: 'invoice', id } },
      changes: { plan, payWith: 'BALANCE', amountCents, currency, ...taken },
    },
  ]);
  return expiresAt;
};

type Price = { accountId: string; currency: string; amountCents: number; reference: string };

const takeFromPots = async (
  tx: Transaction,
  { accountId, currency, amountCents, reference }: Price,
): Promise<{ creditCents: number; earnedCents: number }> => {
  const pots = await lockPots(tx, { accountId, currency });
  const creditCents = Math.min(pots.creditCents, amountCents);
  const earnedCents = amountCents - creditCents;
  if (earnedCents > Math.max(0, pots.earnedCents)) throw notAllowed('Your balance is too small');
  await post(tx, {
    ...{ type: 'PURCHASE', reference, onceKey: `invoice:${reference}`, currency },
    postings: [
      ...(creditCents > 0 ? [{ accountId, pot: 'CREDIT' as const, amountCents: -creditCents }] : []),
      ...(earnedCents > 0 ? [{ accountId, pot: 'EARNED' as const, amountCents: -earnedCents }] : []),
      { account: plans, amountCents },
    ],
  });
  return { creditCents, earnedCents };
};
