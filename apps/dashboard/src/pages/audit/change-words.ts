import { momentWords } from '../../parts/words.ts';

/** A value that was set, as it can be read; `before` where the log kept what it replaced. */
export type Change = { field: string; before?: string; value: string };

/** What an entry says was set, field by field. */
export const changesOf = (changes: Record<string, unknown>): Change[] =>
  Object.entries(changes).map(([field, value]) =>
    isPair(value)
      ? { field, before: valueText(value.from), value: valueText(value.to) }
      : { field, value: valueText(value) },
  );

const isPair = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 2 &&
  'from' in value &&
  'to' in value;

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);

const valueText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'nothing';
  if (typeof value === 'string' && isMoment(value)) return momentWords(value);
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${valueText(part)}`)
    .join(', ');
};
