import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { largestBlobBytes } from './blob-store.ts';

/**
 * Sealed content: one byte for the format, the size of the plain bytes (four bytes), and the plain bytes,
 * compressed where that makes them smaller (images usually do not get smaller).
 *
 * Stored file: the length of the sealed bytes (four bytes), and the sealed bytes. The length is not for
 * protection, which the seal gives; it distinguishes a truncated file from an altered one.
 */
const uncompressed = 0;
const zstd = 1;
const packedHeaderBytes = 5;
const lengthBytes = 4;
const level = 3;

export const pack = async (plain: Uint8Array): Promise<Buffer> => {
  const compressed = await Bun.zstdCompress(Buffer.from(plain), { level });
  const isSmaller = compressed.length < plain.length;
  const header = Buffer.alloc(packedHeaderBytes);
  header.writeUInt8(isSmaller ? zstd : uncompressed);
  header.writeUInt32BE(plain.length, 1);
  return Buffer.concat([header, isSmaller ? compressed : plain]);
};

/** Never produces more bytes than declared. `undefined` for an invalid format. */
export const unpack = async (packed: Buffer): Promise<Buffer | undefined> => {
  if (packed.length < packedHeaderBytes) return undefined;
  const size = packed.readUInt32BE(1);
  const body = packed.subarray(packedHeaderBytes);
  if (packed.readUInt8() === uncompressed) return body;
  if (packed.readUInt8() !== zstd || size === 0 || size > largestBlobBytes) return undefined;
  return decompress(body, { maxOutputLength: size }).catch(() => undefined);
};

const decompress = promisify(zstdDecompress);

export const frame = (sealed: Buffer): Buffer<ArrayBuffer> => {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(sealed.length);
  return Buffer.concat([length, sealed]);
};

export const sealedIn = (stored: Buffer): Buffer => stored.subarray(lengthBytes);

export const isTruncated = (stored: Buffer): boolean =>
  stored.length < lengthBytes || sealedIn(stored).length < stored.readUInt32BE();

export const isOverlong = (stored: Buffer): boolean =>
  sealedIn(stored).length > stored.readUInt32BE();
