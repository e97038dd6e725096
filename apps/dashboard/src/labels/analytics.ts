import type { FunnelStage } from '@holdfast/contract';
import type { Analytics } from '../queries/records.ts';
import { countryName } from './countries.ts';
import { formatCount, formatPercent, formatRatio, keysOf } from './format.ts';

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
  authorized: 'Signed in',
  captchaPassed: 'Passed the captcha',
  checksPassed: 'Passed the checks',
  verified: 'Verified',
};

const stages = keysOf(funnelLabels);

type Counted = Pick<Analytics, 'funnel' | 'blockReasons'>;

type FunnelStep = {
  stage: FunnelStage;
  count: number;
  /** Since the step before; those who were blocked among them. */
  lost: number;
  blocked: number;
  lostShare: number;
};

/** Each step with how many were lost since the one before. */
export const funnelSteps = ({ funnel, blockReasons }: Counted): FunnelStep[] =>
  stages.map((stage, index) => {
    const count = funnel[stage];
    const before = stages[index - 1];
    const came = before ? funnel[before] : count;
    const lost = came - count;
    const blocked = Math.min(lost, blockedBefore(stage, blockReasons));
    return { stage, count, lost, blocked, lostShare: came === 0 ? 0 : lost / came };
  });

/** The captcha blocks at its own step, everything else at the checks; before them nobody is blocked. */
const blockedBefore = (stage: FunnelStage, blockReasons: Counted['blockReasons']): number => {
  const { CAPTCHA: captcha, ...checks } = blockReasons;
  if (stage === 'captchaPassed') return captcha;
  if (stage !== 'checksPassed') return 0;
  return Object.values(checks).reduce((total, count) => total + count, 0);
};

/** "3 left here, 10 blocked (24.5%)". */
export const lossText = ({ lost, blocked, lostShare }: FunnelStep): string => {
  const left = lost - blocked;
  const parts = [
    ...(left > 0 ? [`${formatCount(left)} left here`] : []),
    ...(blocked > 0 ? [`${formatCount(blocked)} blocked`] : []),
  ];
  return `${parts.join(', ')} (${formatPercent(lostShare)})`;
};

/** Where most were lost, in a sentence. */
export const worstStep = (analytics: Counted): string => {
  const [worst] = funnelSteps(analytics)
    .filter(({ lost }) => lost > 0)
    .sort((one, other) => other.lost - one.lost);
  if (!worst) return 'Everybody who came got through.';
  const { stage, lost, blocked, count } = worst;
  const loss = `The largest loss is before “${funnelLabels[stage]}”: ${formatRatio(lost, lost + count)}`;
  if (blocked === 0) return `${loss} left.`;
  if (blocked === lost) return `${loss} were blocked.`;
  return `${loss}, ${formatCount(blocked)} of them blocked.`;
};

/** Countries with attempts from each, and the rest, so that they add up to all attempts. */
export const countryShares = ({
  topCountries,
  totals,
}: Pick<Analytics, 'topCountries' | 'totals'>): { name: string; attempts: number }[] => {
  const known = topCountries.map(({ country, attempts }) => ({
    ...{ name: countryName(country), attempts },
  }));
  const rest = known.reduce((left, { attempts }) => left - attempts, totals.attempts);
  // The service names only those with the most attempts, and of some no country is known.
  return rest > 0 ? [...known, { name: 'Other or unknown', attempts: rest }] : known;
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
