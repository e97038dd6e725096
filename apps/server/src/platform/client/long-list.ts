import type { z } from 'zod';
import { giveWay } from '../../kernel/turns.ts';

/**
 * Parses a list entry by entry, in turns with all else that the process does: the channels of a guild are up
 * to eight megabytes. Throws what `JSON.parse` throws.
 */
export const parseLongList = async <List>(
  text: string,
  list: z.ZodType<List>,
): Promise<z.ZodSafeParseResult<List>> => {
  const entries: unknown[] = [];
  for (const entry of entriesOf(text)) {
    await giveWay();
    const parsed = list.safeParse([JSON.parse(entry)]);
    if (!parsed.success) return parsed;
    if (Array.isArray(parsed.data)) entries.push(...parsed.data);
  }
  // Its entries were parsed by the same schema.
  return { success: true, data: entries as List };
};

/** The texts of the entries of a list, of which each is still to be parsed. */
function* entriesOf(text: string): Generator<string> {
  const start = text.indexOf('[');
  if (start < 0 || text.slice(0, start).trim() !== '') throw new SyntaxError('Not a list');
  let [depth, from] = [1, start + 1];
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > 1 || (depth === 1 && character !== ',')) continue;
    const entry = text.slice(from, at);
    // An empty list has no entry.
    if (depth === 1 || from > start + 1 || entry.trim() !== '') yield entry;
    from = at + 1;
    if (depth === 0) break;
  }
  if (text[from - 1] !== ']' || text.slice(from).trim() !== '')
    throw new SyntaxError('Not a whole list');
}

const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
};
