export type Reviver = Parameters<typeof JSON.parse>[1];

/** Undefined for what is not JSON, or not UTF-8. What a client sent goes through `parseBoundedJson`. */
export const parseJson = (input: string | Uint8Array, reviver?: Reviver): unknown => {
  try {
    const isText = typeof input === 'string';
    const text = isText ? input : new TextDecoder('utf-8', { fatal: true }).decode(input);
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
};

/** JSON with keys sorted at every level, so that equal values have equal hashes. */
export const canonicalJson = (root: unknown): string => {
  if (!isContainer(root)) return JSON.stringify(root);
  const pieces: string[] = [];
  const open: Open[] = [];
  let piece = begin(root, open);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { fields, keys, size, at } = top;
    if (at === size) {
      piece += keys ? '}' : ']';
      open.pop();
      continue;
    }
    top.at += 1;
    const key = keys?.[at];
    if (at > 0) piece += ',';
    if (key !== undefined) piece += `${JSON.stringify(key)}:`;
    piece += begin(fields[key ?? at], open);
    if (piece.length < pieceChars) continue;
    pieces.push(piece);
    piece = '';
  }
  return pieces.join('') + piece;
};

/** One text that grew by every value would take ten times as long. */
const pieceChars = 16 * 1024;

/** A list, or an object with its keys, of which the entries before `at` are written. */
type Open = {
  fields: Readonly<Record<string | number, unknown>>;
  keys: string[] | undefined;
  size: number;
  at: number;
};

/** The whole value where nothing in it contains anything; of any other the first bracket, and it is open now. */
const begin = (value: unknown, open: Open[]): string => {
  if (!isContainer(value)) return isLeftOut(value) ? 'null' : JSON.stringify(value);
  if (Array.isArray(value)) {
    if (!value.some(isContainer)) return JSON.stringify(value);
    // It has its indexes as keys.
    const fields = value as unknown as Open['fields'];
    open.push({ fields, keys: undefined, size: value.length, at: 0 });
    return '[';
  }
  const entries = Object.entries(value).filter(([, inner]) => !isLeftOut(inner));
  const fields = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  if (!entries.some(([, inner]) => isContainer(inner))) return JSON.stringify(fields);
  // Not those of the entries: keys that are indexes come first in every object.
  const keys = Object.keys(fields);
  open.push({ fields, keys, size: keys.length, at: 0 });
  return '{';
};

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

/** What has no place in JSON; in a list null stands for it. */
const isLeftOut = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';
