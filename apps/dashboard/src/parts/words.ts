/** Numbers, sizes, money and times as people read them, in their own language and zone. */

export const countWords = (count: number): string => count.toLocaleString();

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${countWords(count)} ${count === 1 ? one : many}`;

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const sizeWords = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`;
};

export const moneyWords = (cents: number, currency: string): string => {
  try {
    return (cents / 100).toLocaleString(undefined, { style: 'currency', currency });
  } catch (error) {
    // Coins have names that are no currency's: they are written as they are.
    if (!(error instanceof RangeError)) throw error;
    return `${(cents / 100).toLocaleString()} ${currency}`;
  }
};

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** "3 hours ago", "in 2 days". */
export const agoWords = (at: string, now = Date.now()): string => {
  const seconds = (Date.parse(at) - now) / 1000;
  const step = steps.find(([, size]) => Math.abs(seconds) >= size);
  if (!step)
    return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
  const [unit, size] = step;
  return relative.format(Math.round(seconds / size), unit);
};

export const momentWords = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** "2 min 30 s". */
export const durationWords = (seconds: number): string => {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
