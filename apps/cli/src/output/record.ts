import stringWidth from 'string-width';
import { formatValue, paintState } from './format.ts';
import type { Style } from './style.ts';
import { heading } from './table.ts';

type RecordOptions = { style: Style; columns: number; indent?: number };

/** One record as lines of name and value; what it contains is indented. */
export const formatRecord = (value: unknown, options: RecordOptions): string => {
  if (!isRecord(value)) return formatValue('', value);
  const { style, indent = 0 } = options;
  const entries = Object.entries(value);
  const simple = entries.filter(([, field]) => !isNested(field)).map(([name]) => heading(name));
  const label = Math.max(0, ...simple.map((name) => stringWidth(name)));
  const space = ' '.repeat(indent);
  return entries
    .map(([name, field]) => {
      if (isNested(field)) {
        return `${space}${style.bold(heading(name))}\n${nestedLines(field, options)}`;
      }
      const padded = heading(name) + ' '.repeat(label - stringWidth(heading(name)));
      return `${space}${style.dim(padded)}  ${paintState(style, formatValue(name, field))}`;
    })
    .join('\n');
};

/** An object, or a list of them. */
const isNested = (value: unknown): boolean =>
  (isRecord(value) && Object.keys(value).length > 0) ||
  (Array.isArray(value) && value.length > 0 && value.some(isRecord));

const nestedLines = (value: unknown, options: RecordOptions): string => {
  const inner = { ...options, indent: (options.indent ?? 0) + 2 };
  if (!Array.isArray(value)) return formatRecord(value, inner);
  return value
    .map((entry) => `${formatRecord(entry, inner)}\n`)
    .join('\n')
    .trimEnd();
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
