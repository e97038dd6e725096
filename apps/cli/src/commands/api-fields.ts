import { CommandError } from '../exit-codes.ts';
import { parseJson, readGivenFile } from '../operations/given-file.ts';
import { textsOf } from '../option-values.ts';

/** What `-f` and `-F` say, by name. */
export const readFields = async (
  options: Record<string, unknown>,
): Promise<Map<string, unknown>> => {
  const fields = new Map<string, unknown>();
  for (const [name, value] of textsOf(options.rawField).map(splitField)) fields.set(name, value);
  for (const [name, value] of textsOf(options.field).map(splitField)) {
    fields.set(
      name,
      value.startsWith('@') ? await readGivenFile(value.slice(1), 'utf8') : typedValue(value),
    );
  }
  return fields;
};

/** A value keeps its spaces, which text may begin or end with. */
const splitField = (text: string): [string, string] => splitAt(text, '=');

export const splitHeader = (text: string): [string, string] => {
  const [name, value] = splitAt(text, ':');
  return [name, value.trim()];
};

const splitAt = (text: string, mark: string): [string, string] => {
  const index = text.indexOf(mark);
  if (index < 1) throw new CommandError('usage', `${text} must have the form name${mark}value`);
  return [text.slice(0, index), text.slice(index + 1)];
};

/** A number that JavaScript would write in another way is text: ids of the platform have more digits. */
const typedValue = (value: string): unknown => {
  if (/^(true|false|null)$/.test(value)) return parseJson(value, value);
  if (/^-?\d+(\.\d+)?$/.test(value)) return String(Number(value)) === value ? Number(value) : value;
  return /^[[{]/.test(value) ? parseExactly(value) : value;
};

const parseExactly = (json: string): unknown => {
  const parsed = parseJson(json, json);
  const outsideOfTexts = json.replaceAll(/"(\\.|[^"\\])*"/g, '""');
  const inexact = outsideOfTexts.match(/-?\d{16,}/g)?.find((digits) => !isExact(digits));
  if (inexact === undefined) return parsed;
  throw new CommandError('usage', `${inexact} would lose digits as a number`, [
    'Ids are text: put it in quotes.',
  ]);
};

const isExact = (digits: string): boolean => String(Number(digits)) === digits;
