import type { marketCurrency as contractCurrency } from '@holdfast/contract';

/** Numbers, sizes, money and times in the reader's own language and time zone. */

export const formatCount = (count: number): string => count.toLocaleString();

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** "3 of 10". */
export const formatRatio = (part: number, whole: number, format = formatCount): string =>
  `${format(part)} of ${format(whole)}`;

export const formatPercent = (share: number): string =>
  share.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const formatBytes = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`;
};

/** The currency of plans and of the marketplace. A value import would bundle the contract's validators. */
export const marketCurrency: typeof contractCurrency = 'USD';

export const formatMoney = (cents: number, currency: string = marketCurrency): string => {
  try {
    return (cents / 100).toLocaleString(undefined, { style: 'currency', currency });
  } catch (error) {
    // The names of coins are not ISO currencies.
    if (!(error instanceof RangeError)) throw error;
    return `${(cents / 100).toLocaleString()} ${currency}`;
  }
};

const daySeconds = 86_400;

/** Each unit from two of it on where a smaller one says more: "45 days ago", not "last month". */
const steps: { unit: Intl.RelativeTimeFormatUnit; size: number; from: number }[] = [
  { unit: 'year', size: 365 * daySeconds, from: 730 * daySeconds },
  { unit: 'month', size: 30 * daySeconds, from: 60 * daySeconds },
  { unit: 'day', size: daySeconds, from: daySeconds },
  { unit: 'hour', size: 3600, from: 3600 },
  { unit: 'minute', size: 60, from: 60 },
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** "3 hours ago", "in 2 days". */
export const formatAgo = (at: string, now = Date.now()): string => {
  const seconds = (Date.parse(at) - now) / 1000;
  const step = steps.find(({ from }) => Math.abs(seconds) >= from);
  if (!step)
    return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
  return relative.format(Math.round(seconds / step.size), step.unit);
};

export const formatTime = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** "6:11 PM", under the day. */
export const formatClock = (at: string): string =>
  new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' });

/** "Dec 1, 2026". */
export const formatDate = (at: string): string =>
  new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });

/** "Dec 2026": for what began long ago. */
export const formatMonth = (at: string): string =>
  new Date(at).toLocaleDateString(undefined, { month: 'short', year: 'numeric' });

/** "2 min 30 s". */
export const formatDuration = (seconds: number): string => {
  if (seconds < 0.5) return 'under 1 s';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** "30 minutes", or "2 hours" where it is whole hours. */
export const formatInterval = (ms: number): string => {
  const minutes = Math.ceil(ms / 60_000);
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute');
};

/** A message of the service, ended with a full stop so that another sentence can follow. */
export const endSentence = (message: string): string => `${message}.`.replace(/([.!?])\.$/, '$1');

// `Object.keys` widens the keys of a record to `string`.
export const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] =>
  Object.keys(record) as Key[];

/** The entries of a label record as the choices of a field, in its order. */
export const choicesOf = <Value extends string>(
  labels: Record<Value, string>,
): { value: Value; label: string }[] =>
  keysOf(labels).map((value) => ({ value, label: labels[value] }));
