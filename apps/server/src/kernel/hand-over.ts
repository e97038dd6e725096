import { giveWay } from './turns.ts';

/**
 * A value as one thread hands it to another. A structured clone of long lists would hold both for longer than
 * their text takes, which is written and read in turns: so of plain objects all lists are pieces of JSON.
 */
export type Packed =
  | { pieces: Uint8Array<ArrayBuffer>[] }
  | { fields: [name: string, packed: Packed][] }
  | { value: unknown };

export const pack = async (value: unknown): Promise<Packed> => {
  if (Array.isArray(value)) return { pieces: await packList(value) };
  if (!isPlainObject(value)) return { value };
  const fields: [string, Packed][] = [];
  for (const [name, inner] of Object.entries(value)) fields.push([name, await pack(inner)]);
  return { fields };
};

export const unpack = async (packed: Packed): Promise<unknown> => {
  if ('value' in packed) return packed.value;
  if ('pieces' in packed) return unpackList(packed.pieces);
  const fields: [string, unknown][] = [];
  for (const [name, inner] of packed.fields) fields.push([name, await unpack(inner)]);
  return Object.fromEntries(fields);
};

/** What is handed over instead of copied. */
export const buffersOf = (packed: Packed): ArrayBuffer[] => {
  if ('pieces' in packed) return packed.pieces.map(({ buffer }) => buffer);
  return 'fields' in packed ? packed.fields.flatMap(([, inner]) => buffersOf(inner)) : [];
};

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Each piece holds some entries. */
const pieceChars = 64 * 1024;

const packList = async (list: readonly unknown[]): Promise<Uint8Array<ArrayBuffer>[]> => {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let texts: string[] = [];
  let chars = 0;
  const finishPiece = () => {
    pieces.push(new TextEncoder().encode(`[${texts.join()}]`));
    [texts, chars] = [[], 0];
  };
  for (const entry of list) {
    await giveWay();
    const text = JSON.stringify(entry);
    texts.push(text);
    chars += text.length;
    if (chars >= pieceChars) finishPiece();
  }
  finishPiece();
  return pieces;
};

const unpackList = async (pieces: Uint8Array[]): Promise<unknown[]> => {
  const list: unknown[] = [];
  for (const piece of pieces) {
    await giveWay();
    list.push(...JSON.parse(new TextDecoder().decode(piece)));
  }
  return list;
};
