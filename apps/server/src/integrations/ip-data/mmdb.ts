import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'mmdb-lib';

/** A file in MaxMind's format; `get` returns the record of an address, or null. */
type Mmdb = { kind: string; get(address: string): unknown };

export const openMmdb = async (path: string): Promise<Mmdb> => {
  const reader = createReader(await readFile(path));
  return { kind: reader.metadata.databaseType, get: (address) => reader.get(address) };
};

const createReader = (bytes: Buffer): Reader<Response> => {
  if (!hasMarker(bytes)) throw new Error('it is no file of the MaxMind DB format');
  try {
    return new Reader(bytes);
  } catch {
    throw new Error('it is damaged');
  }
};

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** The format has its marker, and the metadata after it, in the last 128 KiB. */
const markerWithinBytes = 128 * 1024;

export const isMmdb = async (path: string): Promise<boolean> => {
  const file = Bun.file(path);
  const { size } = await file.stat();
  return hasMarker(await file.slice(Math.max(0, size - markerWithinBytes), size).bytes());
};

const hasMarker = (bytes: Uint8Array): boolean => {
  const end = bytes.subarray(-markerWithinBytes);
  return Buffer.from(end.buffer, end.byteOffset, end.length).includes(marker);
};
