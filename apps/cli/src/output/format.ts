import { clean, type Style } from './style.ts';

/** `3 h ago`, `in 2 days`. */
export const relativeTime = (time: string, now = Date.now()): string => {
  const seconds = Math.round((Date.parse(time) - now) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  const text = duration(Math.abs(seconds));
  return seconds < 0 ? `${text} ago` : `in ${text}`;
};

/** The largest unit alone: `45 s`, `3 min`, `2 h`, `5 days`. */
export const duration = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
};

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

export const byteSize = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
};

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text);

/** A value of one field, as people read it. */
export const formatValue = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /Bytes$/.test(name)) return byteSize(value);
  if (typeof value === 'number' && /Cents$/.test(name)) return (value / 100).toFixed(2);
  if (typeof value === 'string') return isTime(value) ? relativeTime(value) : clean(value);
  if (Array.isArray(value)) return formatList(name, value);
  return typeof value === 'object' ? clean(JSON.stringify(value)) : String(value);
};

const formatList = (name: string, values: unknown[]): string =>
  values.length === 0 ? '–' : values.map((value) => formatValue(name, value)).join(', ');

const good = ['GOOD', 'completed', 'ACTIVE', 'VALID', 'PAID', 'connected'];
const bad = ['DAMAGED', 'LOST', 'failed', 'REVOKED', 'EXPIRED', 'INVALID'];
const between = ['CHANGED', 'partial', 'running', 'queued', 'snapshotting', 'cancelled', 'PENDING'];

/** Colours the words for a state; the words stay, for whoever sees no colours. */
export const paintState = (style: Style, text: string): string => {
  if (good.includes(text)) return style.green(text);
  if (bad.includes(text)) return style.red(text);
  return between.includes(text) ? style.yellow(text) : text;
};
