import type { PlanName } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import { findPlan, lockUserRow, setPlan } from '../../accounts/queries.ts';
import { notifyOfFailure } from '../notices/notify.ts';
import { type Facts, highestPlan, standingOf } from '../rules.ts';
import type { BillingTools } from '../tools.ts';
import { type HeldSubscription, listOtherPlans, storeStanding } from './queries.ts';

type Change = {
  accountId: string;
  facts: Facts;
  actor: Actor;
  /** As the audit log names it. */
  action: string;
  /** The provider's events that this is the effect of. */
  events?: string[];
};

export type ChangeTools = Pick<BillingTools, 'clock' | 'queue' | 'billing'>;

/**
 * A user's subscription comes to stand as its facts say, with all that follows from it. What is to be
 * audited is given back: a transaction writes that last, when it holds all else that it needs.
 */
export const changeSubscription = async (
  tx: Transaction,
  tools: ChangeTools,
  held: HeldSubscription,
  { accountId, facts, actor, action, events }: Change,
): Promise<AuditedChange[]> => {
  const { id } = held;
  const standing = standingOf(facts, tools.clock.now(), tools.billing.graceDays);
  const { plan, status, currentPeriodEnd } = standing;
  await storeStanding(tx, id, { ...standing, accountId, facts });
  const followed =
    plan === held.plan
      ? []
      : await followPlan(tx, { id, accountId, from: held.plan, to: plan }, actor);
  const told = await notifyOfFailure(tx, tools, { id, accountId }, { status, facts });
  const changed = {
    ...{ accountId, actor, action },
    subject: { type: 'subscription', id },
    changes: {
      ...(events && { events }),
      ...changedFields(held, { plan, status, currentPeriodEnd }),
    },
  };
  return [...followed, ...told, changed];
};

/**
 * The user's plan follows only where what all subscriptions give together changes: a plan that the
 * operator set holds until then. The user is locked after the subscription, by everybody.
 */
const followPlan = async (
  tx: Transaction,
  change: { id: string; accountId: string; from: PlanName; to: PlanName },
  actor: Actor,
): Promise<AuditedChange[]> => {
  const { id, accountId, from, to } = change;
  await lockUserRow(tx, accountId);
  const others = await listOtherPlans(tx, accountId, id);
  const plan = highestPlan([...others, to]);
  if (plan === highestPlan([...others, from])) return [];
  const before = await findPlan(tx, accountId);
  if (before === plan) return [];
  await setPlan(tx, accountId, plan);
  const changes = { plan: { from: before, to: plan } };
  const subject = { type: 'user', id: accountId };
  return [{ accountId, actor, action: 'plan.change', subject, changes }];
};
