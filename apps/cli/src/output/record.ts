import { formatValue, paintState } from './format.ts';
import type { Style } from './style.ts';
import { heading } from './table.ts';
import { textWidth } from './text-width.ts';
import { wrap } from './wrap.ts';

type RecordOptions = { style: Style; columns: number; indent?: number };

/** One record as lines of name and value; what it contains is indented. */
export const formatRecord = (value: unknown, options: RecordOptions): string => {
  if (!isRecord(value)) return wrap(formatValue('', value), options.columns);
  const { style, indent = 0 } = options;
  const entries = Object.entries(value);
  const simple = entries.filter(([, field]) => !isNested(field)).map(([name]) => heading(name));
  const label = Math.max(0, ...simple.map((name) => textWidth(name)));
  const space = ' '.repeat(indent);
  return entries
    .map(([name, field]) =>
      isNested(field)
        ? `${space}${style.bold(heading(name))}\n${nestedLines(field, options)}`
        : fieldLines(heading(name), formatValue(name, field), label, options),
    )
    .join('\n');
};

const gap = 2;

/** Beside its name, on several lines if need be; below it where a word of it would not fit there. */
const fieldLines = (name: string, value: string, label: number, options: RecordOptions): string => {
  const { style, columns, indent = 0 } = options;
  const [space, room] = [' '.repeat(indent), columns - indent - label - gap];
  const longest = Math.max(...value.split(' ').map((word) => textWidth(word)));
  if (longest > room) {
    // A word that no line has room for begins at the edge, so that it can be copied whole.
    const inset = longest > columns - indent - gap ? '' : ' '.repeat(indent + gap);
    const lines = wrap(value, columns - inset.length, 0).split('\n');
    return [`${space}${style.dim(name)}`, ...lines.map((line) => inset + line)].join('\n');
  }
  const [first = '', ...others] = wrap(value, room, 0).split('\n');
  const padded = name + ' '.repeat(label - textWidth(name) + gap);
  const under = ' '.repeat(indent + label + gap);
  return [
    `${space}${style.dim(padded)}${paintState(style, first)}`,
    ...others.map((line) => under + line),
  ].join('\n');
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
