import type { PlanLimits, PlanName } from '@holdfast/contract';
import { countWords, moneyWords, plural, sizeWords } from '../../parts/words.ts';

export const planLabels: Record<PlanName, string> = {
  FREE: 'Free',
  PREMIUM: 'Premium',
  BUSINESS: 'Business',
  ENTERPRISE: 'Enterprise',
};

/** From the lowest to the highest. */
// The record names each plan once, in this order.
export const planOrder = Object.keys(planLabels) as PlanName[];

const planCurrency = 'USD';

export const planPriceWords = (cents: number): string => moneyWords(cents, planCurrency);

const cooldownWords = (ms: number): string => {
  if (ms === 0) return 'Pulls without a wait';
  const minutes = Math.ceil(ms / 60_000);
  const isHours = minutes % 60 === 0;
  const wait = isHours ? plural(minutes / 60, 'hour') : plural(minutes, 'minute');
  return `A pull every ${wait}`;
};

type Line = { words: string; isIncluded: boolean };

const given = (words: string): Line => ({ words, isIncluded: true });

/** What a plan allows, one line for each limit, in the same order for every plan. */
export const limitLines = (limits: PlanLimits): Line[] => [
  given(plural(limits.maxServers, 'server')),
  given(plural(limits.maxBots, 'bot')),
  given(`${plural(limits.maxBackups, 'backup')}, ${sizeWords(limits.maxStorageBytes)}`),
  given(cooldownWords(limits.pullCooldownMs)),
  given(`${limits.marketplaceFeePercent.toLocaleString()} % fee on sales`),
  given(`${countWords(limits.apiRatePerTenSeconds)} API calls in 10 s`),
  { words: 'VPN detection', isIncluded: limits.hasVpnDetection },
  { words: 'Alt account detection', isIncluded: limits.hasAltDetection },
  { words: 'Firewall', isIncluded: limits.hasFirewall },
];
