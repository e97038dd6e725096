import { type BlockReason, blockReasons, type FunnelStage, funnelStages } from '@holdfast/contract';

/**
 * An attempt counts at the hour in which it began, however long it takes. So a period is a number of
 * whole hours, and ends with the hour under way: `to` lies up to an hour ahead, `from` the period
 * before it, and an attempt is in it when from <= begin < to. Longer periods are shown by the UTC
 * day; their first and last day are in it only in part.
 */
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An attempt changes for at most 40 minutes, until its pending verification expires; the rest is reserve. */
const unsettledMs = 2 * hourMs;
const rawDays = 30;
const ratePrecision = 10_000;

const startOf = (unitMs: number, at: Date): Date =>
  new Date(Math.floor(at.getTime() / unitMs) * unitMs);
const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

export const hourOf = (at: Date): Date => startOf(hourMs, at);
export const hourAfter = (hour: Date): Date => later(hour, hourMs);

/** Attempts that began before this moment do not change any more. */
export const settledUntil = (now: Date): Date => hourOf(later(now, -unsettledMs));

/** Attempts that began before this moment are not needed: counted, and 30 days old. */
export const rawKeptSince = (now: Date, countedUntil: Date): Date =>
  new Date(Math.min(now.getTime() - rawDays * dayMs, countedUntil.getTime()));

/** When an attempt is deleted, unless it is not counted by then. */
export const attemptKeptUntil = (startedAt: Date): Date => later(startedAt, rawDays * dayMs);

export type Window = {
  from: Date;
  to: Date;
  /** The first UTC day that lies wholly after `from`. */
  wholeDaysFrom: Date;
  bucket: 'hour' | 'day';
  /** When each bucket begins, in order. */
  buckets: Date[];
};

/** `period` as the contract allows it: `24h`, or days. */
export const windowOf = (period: string, now: Date): Window => {
  const hours = period === '24h' ? 24 : Number(period.slice(0, -1)) * 24;
  const bucket = hours === 24 ? 'hour' : 'day';
  const bucketMs = bucket === 'hour' ? hourMs : dayMs;
  const to = hourAfter(hourOf(now));
  const from = later(to, -hours * hourMs);
  const buckets: Date[] = [];
  for (let at = startOf(bucketMs, from); at < to; at = later(at, bucketMs)) buckets.push(at);
  return { from, to, wholeDaysFrom: startOf(dayMs, later(from, dayMs - 1)), bucket, buckets };
};

/** The column of `attempt_hours` that counts the attempts blocked for a reason. */
export const counterOfReason = {
  BLACKLIST: 'blockedByBlacklist',
  FIREWALL: 'blockedByFirewall',
  VPN: 'blockedByVpn',
  ALT: 'blockedByAlt',
  ACCOUNT_AGE: 'blockedByAccountAge',
  CAPTCHA: 'blockedByCaptcha',
} as const satisfies Record<BlockReason, string>;

export type Counts = Record<FunnelStage | (typeof counterOfReason)[BlockReason], number>;

/** An attempt that reached one of these stages also reached `stage`: so a funnel never increases. */
export const stagesFrom = (stage: FunnelStage): FunnelStage[] =>
  funnelStages.slice(funnelStages.indexOf(stage));

/** The numbers of the answer; `counted` holds the buckets with attempts. */
export const summarize = ({ buckets }: Window, counted: readonly (Counts & { atMs: number })[]) => {
  const countsAt = new Map(counted.map((counts) => [counts.atMs, counts]));
  const sum = (name: keyof Counts) => counted.reduce((total, counts) => total + counts[name], 0);
  const { visited: attempts, ...rest } = eachOf(funnelStages, sum);
  return {
    funnel: { visited: attempts, ...rest },
    totals: {
      attempts,
      verified: rest.verified,
      blocked: counted.reduce((total, counts) => total + blockedIn(counts), 0),
      conversionRate: rateOf(rest.verified, attempts),
    },
    blockReasons: eachOf(blockReasons, (reason) => sum(counterOfReason[reason])),
    series: buckets.map((at) => ({ at, ...pointOf(countsAt.get(at.getTime())) })),
  };
};

const pointOf = (counts: Counts | undefined) =>
  counts
    ? { attempts: counts.visited, verified: counts.verified, blocked: blockedIn(counts) }
    : { attempts: 0, verified: 0, blocked: 0 };

const blockedIn = (counts: Counts): number =>
  blockReasons.reduce((total, reason) => total + counts[counterOfReason[reason]], 0);

const rateOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * ratePrecision) / ratePrecision;

const eachOf = <Name extends string>(
  names: readonly Name[],
  count: (name: Name) => number,
): Record<Name, number> =>
  // Every name is among the entries, which is more than the type of `fromEntries` says.
  Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>;
