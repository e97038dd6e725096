import { type FileHandle, open } from 'node:fs/promises';
import { readIpWords } from '../../kernel/ip-words.ts';
import { createRangeTableBuilder, type RangeTable } from './range-table.ts';

export type AsnTable = { v4: RangeTable; v6: RangeTable };

const newline = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const comma = 44;
const slash = 47;
const largestAsn = 0xffff_ffff;

/**
 * Reads lines of `first,last,asn,…` or `network/prefix,asn,…`, IPv4 and IPv6 mixed; the first line may be
 * a heading. The files are large, so they are read in chunks, with a pause for other work after each.
 */
export const readAsnCsv = async (paths: readonly string[]): Promise<AsnTable> => {
  const tables = { 1: createRangeTableBuilder(1), 4: createRangeTableBuilder(4) };
  let rows = 0;
  const add: AddRow = (width, first, last, asn) => {
    rows += 1;
    // 0 means "not assigned" in lists without gaps.
    if (asn !== 0) tables[width].add(first, last, asn);
  };
  for (const path of paths) await readLines(path, createLineReader(add));
  if (rows === 0) throw new Error('it holds no ranges of addresses');
  return { v4: tables[1].finish(), v6: tables[4].finish() };
};

type AddRow = (width: 1 | 4, first: Uint32Array, last: Uint32Array, asn: number) => void;
type ReadLine = (bytes: Uint8Array, from: number, to: number, lineNumber: number) => void;

const readLines = async (path: string, readLine: ReadLine): Promise<void> => {
  const file = await open(path);
  try {
    await readChunks(file, readLine);
  } finally {
    await file.close();
  }
};

const chunkBytes = 256 * 1024;

/** Into one array that is used again: fresh ones would be garbage of the size of the files. */
const readChunks = async (file: FileHandle, readLine: ReadLine): Promise<void> => {
  const bytes = new Uint8Array(chunkBytes);
  let lineNumber = 0;
  let kept = 0;
  for (;;) {
    const { bytesRead } = await file.read(bytes, kept, bytes.length - kept);
    if (bytesRead === 0) break;
    const to = kept + bytesRead;
    let from = 0;
    for (let end = 0; ; from = end + 1) {
      end = bytes.indexOf(newline, from);
      if (end < 0 || end >= to) break;
      lineNumber += 1;
      readLine(bytes, from, end, lineNumber);
    }
    kept = to - from;
    if (kept === bytes.length) throw new Error(`line ${lineNumber + 1} is too long`);
    bytes.copyWithin(0, from, to);
    await Bun.sleep(0);
  }
  if (kept > 0) readLine(bytes, 0, kept, lineNumber + 1);
};

/** Reused for every line, to avoid an allocation per line. */
type Line = { first: Uint32Array; last: Uint32Array; asn: number };

const createLineReader = (add: AddRow): ReadLine => {
  const line: Line = { first: new Uint32Array(4), last: new Uint32Array(4), asn: 0 };
  return (bytes, from, to, lineNumber) => {
    const end = trimmedEnd(bytes, from, to);
    if (end === from) return;
    const width = parseLine(bytes, from, end, line);
    if (width !== 0) add(width, line.first, line.last, line.asn);
    else if (lineNumber > 1) throw new Error(`line ${lineNumber} is no range with its AS number`);
  };
};

/** The number of words of the line's addresses; 0 for an invalid line. */
const parseLine = (bytes: Uint8Array, from: number, to: number, line: Line): 0 | 1 | 4 => {
  const firstEnd = fieldEnd(bytes, from, to);
  const slashAt = endBefore(slash, bytes, from, firstEnd);
  const width = readAddress(bytes, from, slashAt, line.first);
  if (width === 0) return 0;
  if (slashAt < firstEnd) {
    const prefix = readNumber(bytes, slashAt + 1, firstEnd);
    line.asn = readNumber(bytes, firstEnd + 1, fieldEnd(bytes, firstEnd + 1, to));
    return line.asn >= 0 && closeBlock(line, width, prefix) ? width : 0;
  }
  const lastEnd = fieldEnd(bytes, firstEnd + 1, to);
  const isSameKind = readAddress(bytes, firstEnd + 1, lastEnd, line.last) === width;
  line.asn = readNumber(bytes, lastEnd + 1, fieldEnd(bytes, lastEnd + 1, to));
  return isSameKind && line.asn >= 0 && isForward(line, width) ? width : 0;
};

/** Sets the first and last address of a CIDR block; false for an invalid prefix. */
const closeBlock = ({ first, last }: Line, width: 1 | 4, prefix: number): boolean => {
  if (prefix < 0 || prefix > width * 32) return false;
  for (let word = 0; word < width; word += 1) {
    const kept = Math.min(Math.max(prefix - word * 32, 0), 32);
    const hostBits = kept === 32 ? 0 : 0xffff_ffff >>> kept;
    first[word] = ((first[word] ?? 0) & ~hostBits) >>> 0;
    last[word] = ((first[word] ?? 0) | hostBits) >>> 0;
  }
  return true;
};

const isForward = ({ first, last }: Line, width: 1 | 4): boolean => {
  for (let word = 0; word < width; word += 1) {
    const difference = (last[word] ?? 0) - (first[word] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
};

/** Where `byte` stands, or `to` where it does not. */
const endBefore = (byte: number, bytes: Uint8Array, from: number, to: number): number => {
  let end = from;
  while (end < to && bytes[end] !== byte) end += 1;
  return end;
};

const fieldEnd = (bytes: Uint8Array, from: number, to: number): number =>
  endBefore(comma, bytes, from, to);

const trimmedEnd = (bytes: Uint8Array, from: number, to: number): number => {
  let end = to;
  while (end > from && (bytes[end - 1] === carriageReturn || bytes[end - 1] === space)) end -= 1;
  return end;
};

const isQuoted = (bytes: Uint8Array, from: number, to: number): boolean =>
  to - from >= 2 && bytes[from] === quote && bytes[to - 1] === quote;

const readAddress = (bytes: Uint8Array, from: number, to: number, into: Uint32Array) =>
  isQuoted(bytes, from, to)
    ? readIpWords(bytes, from + 1, to - 1, into)
    : readIpWords(bytes, from, to, into);

/** Negative for anything but a valid AS number. */
const readNumber = (bytes: Uint8Array, from: number, to: number): number => {
  const inset = isQuoted(bytes, from, to) ? 1 : 0;
  if (from + inset >= to - inset) return -1;
  let number = 0;
  for (let at = from + inset; at < to - inset; at += 1) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
    if (number > largestAsn) return -1;
  }
  return number;
};
