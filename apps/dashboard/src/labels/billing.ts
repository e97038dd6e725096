import type {
  BillingOutcome,
  LedgerPot,
  LedgerType,
  PaymentProvider,
  PlanLimits,
  PlanName,
} from '@holdfast/contract';
import type { BillingStatus, CardSubscription, Subscription } from '../queries/records.ts';
import {
  formatBytes,
  formatCount,
  formatDate,
  formatInterval,
  formatTime,
  keysOf,
} from './format.ts';

export const planLabels: Record<PlanName, string> = {
  FREE: 'Free',
  PREMIUM: 'Premium',
  BUSINESS: 'Business',
  ENTERPRISE: 'Enterprise',
};

/** From the lowest to the highest. */
export const planOrder = keysOf(planLabels);

type LimitRow = { label: string; value: string };

/** The numbers of a plan, in the same order for every plan. */
export const limitRows = (limits: PlanLimits): LimitRow[] => [
  { label: 'Servers', value: formatCount(limits.maxServers) },
  { label: 'Bots', value: formatCount(limits.maxBots) },
  { label: 'Backups', value: formatCount(limits.maxBackups) },
  { label: 'Storage', value: formatBytes(limits.maxStorageBytes) },
  { label: 'Bring back', value: cooldownLabel(limits.pullCooldownMs) },
  { label: 'Fee on sales', value: `${limits.marketplaceFeePercent.toLocaleString()} %` },
  { label: 'API calls in 10 s', value: formatCount(limits.apiRatePerTenSeconds) },
];

const cooldownLabel = (ms: number): string =>
  ms === 0 ? 'at any time' : `every ${formatInterval(ms)}`;

type Feature = { label: string; isIncluded: boolean };

/** What a plan includes or not, in the same order for every plan. */
export const planFeatures = (limits: PlanLimits): Feature[] => [
  { label: 'VPN detection', isIncluded: limits.hasVpnDetection },
  { label: 'Alt account detection', isIncluded: limits.hasAltDetection },
  { label: 'Firewall', isIncluded: limits.hasFirewall },
  { label: 'Automatic repair after an attack', isIncluded: limits.hasAutoRepair },
];

type Status = Pick<BillingStatus, 'provider' | 'renews' | 'lapsesAt'> & {
  card?: CardSubscription | null;
};

type PlanMessage = { tone: 'calm' | 'warning'; message: string };

const calm = (message: string): PlanMessage => ({ tone: 'calm', message });
const warning = (message: string): PlanMessage => ({ tone: 'warning', message });

/** How the plan is paid for, and until when. */
export const planMessage = (
  plan: PlanName,
  subscription: Subscription,
  { provider, renews, lapsesAt, card }: Status,
): PlanMessage => {
  const end = formatTime(subscription.currentPeriodEnd);
  if (subscription.status === 'PAST_DUE') return pastDueMessage(plan, lapsesAt);
  if (provider === null) return calm(unpaidMessage(plan, subscription));
  if (subscription.status === 'TRIALING') {
    const { trialEndsAt, currentPeriodEnd } = subscription;
    return calm(`Your trial ends on ${formatTime(trialEndsAt ?? currentPeriodEnd)}.`);
  }
  if (card && provider === 'CARD')
    return card.cancelledAt ? warning(cardMessage(card)) : calm(cardMessage(card));
  if (renews) return calm(`Paid by card. It renews by itself on ${end}.`);
  return warning(`Paid until ${end}. It does not renew by itself: pay again to keep it longer.`);
};

/** What happens to the card subscription when its period ends. */
export const cardMessage = ({
  plan,
  currentPeriodEnd,
  cancelledAt,
  nextPlan,
}: CardSubscription): string => {
  const end = formatTime(currentPeriodEnd);
  if (cancelledAt !== null) {
    return `The card subscription to ${planLabels[plan]} is cancelled. It is paid until ${end}, and not charged again.`;
  }
  return nextPlan
    ? `${planLabels[plan]} is paid by card until ${end}. Then it changes to ${planLabels[nextPlan]}.`
    : `${planLabels[plan]} is paid by card. It renews by itself on ${end}.`;
};

const pastDueMessage = (plan: PlanName, lapsesAt: string | null): PlanMessage =>
  warning(
    lapsesAt
      ? `The last payment failed. You keep the ${planLabels[plan]} plan until ${formatTime(lapsesAt)}; if nothing is paid by then, you continue on the Free plan. Nothing is deleted.`
      : 'The last payment failed, and the time to pay is over. Pay again to get the plan back.',
  );

const unpaidMessage = (
  plan: PlanName,
  { status, plan: paidPlan, currentPeriodEnd }: Subscription,
): string => {
  if (plan !== 'FREE') {
    return `Granted by the operator: nothing to pay. It renews by itself on ${formatDate(currentPeriodEnd)}.`;
  }
  const isOver = paidPlan === 'FREE' && (status === 'CANCELLED' || status === 'EXPIRED');
  return isOver
    ? 'Your last plan has ended. What you have stays; more than the Free plan allows cannot be added.'
    : 'It costs nothing and does not end.';
};

const eventLabels: Record<string, string> = {
  'checkout.session.completed': 'A checkout was completed',
  'customer.subscription.updated': 'The subscription changed',
  'customer.subscription.deleted': 'The subscription was cancelled',
  'invoice.payment_succeeded': 'A payment succeeded',
  'invoice.payment_failed': 'A payment failed',
  'charge.refunded': 'A charge was refunded',
  Paid: 'Coins were paid',
  Confirming: 'Coins are being confirmed',
  Waiting: 'Waiting for coins',
  Expired: 'A payment in coins expired',
  Failed: 'A payment in coins failed',
};

/** What a payment provider reported; unknown types are shown as they are. */
export const billingEventLabel = (type: string): string =>
  (Object.hasOwn(eventLabels, type) && eventLabels[type]) || type;

export const billingOutcomeLabels: Record<BillingOutcome, string> = {
  APPLIED: 'It changed something.',
  IGNORED: 'There was nothing left to change.',
  UNMATCHED: 'It waits for the order or invoice it belongs to.',
  MISMATCH: 'The amount paid is not the amount due: nothing was changed.',
};

export const providerLabels: Record<PaymentProvider, string> = {
  CARD: 'Card',
  CRYPTO: 'Cryptocurrency',
};

export const ledgerTypeLabels: Record<LedgerType, string> = {
  REFUND: 'Refund',
  PURCHASE: 'Bought',
  SALE: 'Sold',
  FEE: 'Fee',
  PAYOUT: 'Payout',
  ADJUSTMENT: 'Adjustment',
};

export const potLabels: Record<LedgerPot, string> = { EARNED: 'Earned', CREDIT: 'Credit' };
