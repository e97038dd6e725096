import type { FunnelStage } from '@holdfast/contract';
import type { Analytics } from '../queries/records.ts';
import { formatRatio, keysOf } from './format.ts';

/** The periods to choose from, by their name in the API and the address. */
export const periods: Record<string, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '365d': '1 year',
};
export const defaultPeriod = '30d';

export const funnelLabels: Record<FunnelStage, string> = {
  visited: 'Opened the page',
  authorized: 'Signed in with the platform',
  captchaPassed: 'Passed the captcha',
  checksPassed: 'Passed the checks',
  verified: 'Verified',
};

const stages = keysOf(funnelLabels);

type FunnelStep = { stage: FunnelStage; count: number; lost: number; lostShare: number };

/** Each step with how many were lost since the one before. */
export const funnelSteps = (funnel: Analytics['funnel']): FunnelStep[] =>
  stages.map((stage, index) => {
    const count = funnel[stage];
    const before = stages[index - 1];
    const came = before ? funnel[before] : count;
    const lost = came - count;
    return { stage, count, lost, lostShare: came === 0 ? 0 : lost / came };
  });

/** Where most gave up, in a sentence. */
export const worstStep = (funnel: Analytics['funnel']): string => {
  const [worst] = funnelSteps(funnel)
    .filter(({ lost }) => lost > 0)
    .sort((one, other) => other.lost - one.lost);
  if (!worst) return 'Everybody who came got through.';
  return `Most left before “${funnelLabels[worst.stage]}”: ${formatRatio(worst.lost, worst.lost + worst.count)}.`;
};

/** Hours within a day, else days. The service counts days in UTC. */
export const seriesLabel = (at: string, period: string): string =>
  period === '24h'
    ? new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString(undefined, {
        month: 'short',
        day: 'numeric',
        timeZone: 'UTC',
      });
