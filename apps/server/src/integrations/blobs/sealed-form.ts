import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { largestBlobBytes } from './store.ts';

/**
 * What is sealed: a byte that names the form, the size of the plain bytes (four bytes), and the
 * plain bytes, compressed where that makes them smaller; images mostly are as small as they get.
 *
 * What is stored: the length of the sealed bytes (four bytes), and the sealed bytes. The length
 * protects nothing, since the seal does; it tells a file cut short from one that was altered.
 */
const asItIs = 0;
const zstd = 1;
const packedHeaderBytes = 5;
const lengthBytes = 4;
const level = 3;

export const pack = async (plain: Uint8Array): Promise<Buffer> => {
  const compressed = await Bun.zstdCompress(Buffer.from(plain), { level });
  const isSmaller = compressed.length < plain.length;
  const header = Buffer.alloc(packedHeaderBytes);
  header.writeUInt8(isSmaller ? zstd : asItIs);
  header.writeUInt32BE(plain.length, 1);
  return Buffer.concat([header, isSmaller ? compressed : plain]);
};

/** Never makes more bytes than were declared. `undefined` when it is not a packed form. */
export const unpack = async (packed: Buffer): Promise<Buffer | undefined> => {
  if (packed.length < packedHeaderBytes) return undefined;
  const size = packed.readUInt32BE(1);
  const body = packed.subarray(packedHeaderBytes);
  if (packed.readUInt8() === asItIs) return body;
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
