import type { BlockReason, FunnelStage } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk';

export type AnalyticsRecord = Output<'getAnalytics'>;

/** The periods one can choose, as they stand in the address. */
export const periods: Record<string, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '365d': '1 year',
};
export const usualPeriod = '30d';

export const stageWords: Record<FunnelStage, string> = {
  visited: 'Opened the page',
  authorized: 'Signed in with the platform',
  captchaPassed: 'Passed the captcha',
  checksPassed: 'Passed the checks',
  verified: 'Verified',
};

export const reasonWords: Record<BlockReason, string> = {
  BLACKLIST: 'On your blacklist',
  FIREWALL: 'A firewall rule',
  VPN: 'VPN or hosting network',
  ALT: 'A second account',
  ACCOUNT_AGE: 'Account too young',
  CAPTCHA: 'Captcha not solved',
};

export const percentWords = (share: number): string =>
  share.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });

const stages = Object.keys(stageWords) as FunnelStage[];

export type FunnelStep = { stage: FunnelStage; count: number; lost: number; lostShare: number };

/** Each step with how many did not come from the one before. */
export const funnelSteps = (funnel: AnalyticsRecord['funnel']): FunnelStep[] =>
  stages.map((stage, index) => {
    const count = funnel[stage];
    const before = stages[index - 1];
    const came = before ? funnel[before] : count;
    const lost = came - count;
    return { stage, count, lost, lostShare: came === 0 ? 0 : lost / came };
  });

/** As the reader's language names it; where that is not known, nobody is told a code. */
export const countryWords = (code: string): string => {
  if (!/^[A-Z]{2}$/.test(code)) return 'Not known';
  return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
};

/** By the hour within a day, by the day beyond; days are counted in UTC. */
export const seriesLabel = (at: string, period: string): string =>
  period === '24h'
    ? new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString(undefined, {
        month: 'short',
        day: 'numeric',
        timeZone: 'UTC',
      });
