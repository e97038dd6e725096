import { parseJson, type Reviver } from './json.ts';

/** What JSON of a client may hold. A few bytes can be many values, and each costs far more than its bytes. */
type JsonBounds = { depth: number; values: number; fields: number };

/**
 * The deepest that the contract asks for is eleven levels, a permission in a document in a body. The densest
 * honest text is a document too: short names of permissions, with seven bytes for each value.
 */
const densestBytes = 5;
const depth = 64;
/** Of one object. To parse the same names in one object of 20,000 takes seven times as long as in a hundred. */
const fields = 200;

/** Of a request's body. The longest list that the contract takes there has 1,000 texts. */
export const bodyBounds: JsonBounds = { depth, fields, values: 5000 };
/** Of a body with a document in it, which has at most 256 KiB. */
export const largeBodyBounds: JsonBounds = { depth, fields, values: (256 * 1024) / densestBytes };
/** Of a payment provider's event, which has at most 1 MiB. */
export const eventBounds: JsonBounds = { depth, fields, values: (1024 * 1024) / densestBytes };
/** Of a document, which has at most 4 MiB. */
export const documentBounds: JsonBounds = {
  depth,
  fields,
  values: (4 * 1024 * 1024) / densestBytes,
};

/** The value, or what a client reads about it. */
type Bounded = { value: unknown } | { problem: string };

export const parseBoundedJson = (
  bytes: Uint8Array,
  bounds: JsonBounds,
  reviver?: Reviver,
): Bounded => {
  const problem = problemIn(bytes, bounds);
  if (problem) return { problem };
  const value = parseJson(bytes, reviver);
  return value === undefined ? { problem: 'is not valid JSON' } : { value };
};

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts before anything is parsed, in one pass. Every value but the first follows a comma or an opening
 * bracket; an empty list or object counts twice. A field has a colon.
 */
const problemIn = (bytes: Uint8Array, bounds: JsonBounds): string | undefined => {
  let [deep, values, at] = [0, 1, 0];
  const fields = new Uint32Array(bounds.depth + 1);
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openList || byte === openObject) {
      deep += 1;
      values += 1;
      fields[deep] = 0;
    } else if (byte === closeList || byte === closeObject) deep -= 1;
    else if (byte === comma) values += 1;
    else if (byte === colon) {
      const count = (fields[deep] ?? 0) + 1;
      if (count > bounds.fields) return `holds an object of more than ${bounds.fields} fields`;
      fields[deep] = count;
    }
    if (deep > bounds.depth) return `nests values deeper than ${bounds.depth} levels`;
    if (values > bounds.values) return `holds more than ${Math.floor(bounds.values)} values`;
    at += 1;
  }
  return undefined;
};

/** Where the string ends that begins there: at the next quote that is not escaped. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at;
  }
  return bytes.length;
};
