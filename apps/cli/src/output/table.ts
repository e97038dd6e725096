import { formatValue, paintState } from './format.ts';
import { clean, type Style } from './style.ts';
import { textWidth } from './text-width.ts';

type Row = Record<string, unknown>;

type TableOptions = {
  /** Fields, the most important first: the last ones are left out where the terminal is narrow. */
  fields: string[];
  columns: number;
  style: Style;
};

const widestCell = 40;
const gap = 2;
/** Below it a table would show hardly anything; each entry becomes a few lines instead. */
const narrowest = 60;

/** A table as wide as the terminal at most. */
export const formatTable = (rows: Row[], options: TableOptions): string => {
  const { columns, style } = options;
  const fields = options.fields.filter((field) => rows.some((row) => !isEmpty(row[field])));
  if (columns < narrowest) {
    return formatNarrow(rows, { ...options, fields: fields.slice(0, mostLines) });
  }
  const cells = (field: string) => [heading(field), ...rows.map((row) => cell(field, row))];
  const widths = new Map(fields.map((field) => [field, widestOf(cells(field))]));
  const shown = fitting(fields, widths, columns);
  const line = (texts: string[]) =>
    texts
      .map((text, index) => pad(text, widths.get(shown[index] ?? '') ?? 0))
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    style.bold(line(shown.map(heading))),
    ...rows.map((row) =>
      shown
        .map((field) => {
          const text = cell(field, row);
          return paintState(style, text) + padding(text, widths.get(field) ?? 0);
        })
        .join(' '.repeat(gap))
        .trimEnd(),
    ),
  ].join('\n');
};

/** More lines than these would push the next entry off the screen of a phone. */
const mostLines = 8;

/** Each entry as lines of name and value. */
const formatNarrow = (rows: Row[], { fields, columns, style }: TableOptions): string => {
  const label = Math.max(0, ...fields.map((field) => textWidth(heading(field))));
  const lineOf = (field: string, row: Row) => {
    const whole = formatValue(field, row[field]);
    const room = Math.max(8, columns - label - gap);
    if (isId(field) && whole.length > room) return `${style.dim(heading(field))}\n  ${whole}`;
    return `${style.dim(pad(heading(field), label))}  ${paintState(style, cut(whole, room))}`;
  };
  return rows
    .map((row) =>
      fields
        .filter((field) => !isEmpty(row[field]))
        .map((field) => lineOf(field, row))
        .join('\n'),
    )
    .join('\n\n');
};

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** An id is for copying: half of it is worth nothing. */
const isId = (field: string): boolean => /^id$|Id$/.test(field);

const cell = (field: string, row: Row): string => {
  const text = formatValue(field, row[field]);
  return isId(field) ? text : cut(text, widestCell);
};

/** As many as fit, in order of importance; at least the first. */
const fitting = (fields: string[], widths: Map<string, number>, columns: number): string[] => {
  const shown: string[] = [];
  let left = columns + gap;
  for (const field of fields) {
    const width = (widths.get(field) ?? 0) + gap;
    if (width > left && shown.length > 0) continue;
    left -= width;
    shown.push(field);
  }
  // The longest, and read last.
  return shown.toSorted((one, other) => Number(one === 'id') - Number(other === 'id'));
};

const widestOf = (texts: string[]): number => Math.max(...texts.map((text) => textWidth(text)));

const padding = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - textWidth(text)));

const pad = (text: string, width: number): string => text + padding(text, width);

/** `lastGoodBackupId` → `LAST GOOD BACKUP ID`. */
export const heading = (field: string): string =>
  clean(field)
    .replace(/^_/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toUpperCase();

/** By what is seen as one character, so that none is cut in half. */
export const cut = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (textWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};
