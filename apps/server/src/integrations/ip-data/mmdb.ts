import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'mmdb-lib';

/** What a file of MaxMind's format tells of an address, in whatever shape; null for nothing. */
export type Mmdb = { kind: string; get(address: string): unknown };

export const openMmdb = async (path: string): Promise<Mmdb> => {
  const reader = createReader(await readFile(path));
  return { kind: reader.metadata.databaseType, get: (address) => reader.get(address) };
};

const createReader = (bytes: Buffer): Reader<Response> => {
  if (!hasMark(bytes)) throw new Error('it is no file of the MaxMind DB format');
  try {
    return new Reader(bytes);
  } catch {
    throw new Error('it is damaged');
  }
};

const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The format keeps its mark, and what follows it, in the last 128 KiB. */
const markWithinBytes = 128 * 1024;

export const isMmdb = async (path: string): Promise<boolean> => {
  const file = Bun.file(path);
  const { size } = await file.stat();
  return hasMark(await file.slice(Math.max(0, size - markWithinBytes), size).bytes());
};

const hasMark = (bytes: Uint8Array): boolean => {
  const end = bytes.subarray(-markWithinBytes);
  return Buffer.from(end.buffer, end.byteOffset, end.length).includes(mark);
};
