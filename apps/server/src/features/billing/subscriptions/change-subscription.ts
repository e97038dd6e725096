import type { AuditAction, PlanName } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import { findPlan, lockAccountRow, setPlan } from '../../accounts/queries.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { changedFields } from '../../audit/rules.ts';
import type { BillingDependencies } from '../events/process-event.ts';
import { notifyPaymentFailed } from '../notices/notify.ts';
import {
  listOtherPlans,
  type StoredSubscription,
  storeStanding,
} from '../queries/subscriptions.ts';
import { type Facts, highestPlan, standingOf } from '../rules.ts';

type Change = {
  accountId: string;
  facts: Facts;
  actor: Actor;
  action: AuditAction;
  /** The provider's events that caused the change. */
  events?: string[];
  /** The plan that the account's owner chose; a lower one begins later. */
  chosen?: PlanName;
};

export type ChangeDependencies = Pick<BillingDependencies, 'clock' | 'queue' | 'billing'>;

/**
 * Stores the facts and the standing that follows from them, updates the account's plan and queues a notice.
 * Returns the audit entries, because a transaction writes them last, after it has taken all other locks.
 */
export const changeSubscription = async (
  tx: Transaction,
  dependencies: ChangeDependencies,
  subscription: StoredSubscription,
  { accountId, facts, actor, action, events, chosen }: Change,
): Promise<AuditedChange[]> => {
  const { id, plan: planBefore, status: statusBefore } = subscription;
  const { clock, billing } = dependencies;
  const standing = standingOf(facts, clock.now(), billing.graceDays);
  const { plan, status, currentPeriodEnd } = standing;
  await storeStanding(tx, id, { ...standing, accountId, facts });
  const planEntries =
    plan === planBefore
      ? []
      : await updatePlan(tx, { id, accountId, from: planBefore, to: plan }, actor);
  const noticeEntries = await notifyPaymentFailed(tx, dependencies, {
    id,
    accountId,
    status,
    statusBefore,
    facts,
  });
  const entry = {
    ...{ accountId, actor, action },
    subject: { type: 'subscription', id },
    changes: {
      ...(events && { events }),
      ...(chosen && { chosen }),
      ...changedFields(subscription, { plan, status, currentPeriodEnd }),
    },
  };
  return [...planEntries, ...noticeEntries, entry];
};

/**
 * The account's plan changes only when the highest plan of all its subscriptions changes: until then a plan
 * that the operator set holds. The account's row is locked after the subscription, here and everywhere.
 */
const updatePlan = async (
  tx: Transaction,
  change: { id: string; accountId: string; from: PlanName; to: PlanName },
  actor: Actor,
): Promise<AuditedChange[]> => {
  const { id, accountId, from, to } = change;
  await lockAccountRow(tx, accountId);
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
