const colon = 58;
const dot = 46;

const encoder = new TextEncoder();

/**
 * An address as 32-bit words, highest first: one for IPv4, four for IPv6. An IPv4-mapped IPv6 address is
 * IPv4. Undefined for anything else, also for a CIDR block.
 */
export const ipWords = (address: string): Uint32Array | undefined => {
  const bytes = encoder.encode(address);
  const words = new Uint32Array(4);
  const count = readIpWords(bytes, 0, bytes.length, words);
  return count === 0 ? undefined : words.subarray(0, count);
};

/**
 * The same from a part of a larger buffer, without creating a string: tables of networks have a million
 * addresses. Returns how many words it wrote, 0 for an invalid address.
 */
export const readIpWords = (
  bytes: Uint8Array,
  from: number,
  to: number,
  into: Uint32Array,
): 0 | 1 | 4 => {
  const v4 = readV4(bytes, from, to);
  if (v4 < 0) return readV6(bytes, from, to, into);
  into[0] = v4;
  return 1;
};

/** Negative for an invalid dotted address. */
const readV4 = (bytes: Uint8Array, from: number, to: number): number => {
  let address = 0;
  let part = -1;
  let dots = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === dot) {
      if (part < 0 || dots === 3) return -1;
      address = address * 256 + part;
      part = -1;
      dots += 1;
      continue;
    }
    const digit = byte - 48;
    // Some parsers read a leading zero as octal, others as decimal: it is refused.
    if (digit < 0 || digit > 9 || part === 0) return -1;
    part = part < 0 ? digit : part * 10 + digit;
    if (part > 255) return -1;
  }
  return dots === 3 && part >= 0 ? address * 256 + part : -1;
};

/** Reused by every call; parsing is synchronous. */
const groups = new Uint16Array(8);

const readV6 = (bytes: Uint8Array, from: number, to: number, into: Uint32Array): 0 | 1 | 4 => {
  let count = 0;
  let gapAt = -1;
  let at = from;
  if (at + 1 < to && bytes[at] === colon && bytes[at + 1] === colon) {
    gapAt = 0;
    at += 2;
  } else if (at >= to) return 0;
  while (at < to) {
    const end = groupEnd(bytes, at, to);
    const written = writeGroup(bytes, at, end, end === to, count);
    if (written === 0) return 0;
    count += written;
    at = end + 1;
    if (end === to) break;
    if (at === to) return 0;
    if (bytes[at] !== colon) continue;
    if (gapAt >= 0) return 0;
    gapAt = count;
    at += 1;
  }
  if (gapAt < 0 ? count !== 8 : count > 7) return 0;
  if (gapAt >= 0) openGap(gapAt, count);
  return writeWords(into);
};

const groupEnd = (bytes: Uint8Array, from: number, to: number): number => {
  let end = from;
  while (end < to && bytes[end] !== colon) end += 1;
  return end;
};

/** How many groups it wrote: a dotted IPv4 address at the end counts as two. */
const writeGroup = (
  bytes: Uint8Array,
  from: number,
  to: number,
  isLast: boolean,
  count: number,
): 0 | 1 | 2 => {
  if (isLast && to - from > 6) {
    const v4 = readV4(bytes, from, to);
    if (v4 < 0 || count > 6) return 0;
    groups[count] = v4 >>> 16;
    groups[count + 1] = v4 & 0xffff;
    return 2;
  }
  if (to === from || to - from > 4 || count > 7) return 0;
  let group = 0;
  for (let at = from; at < to; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) return 0;
    group = group * 16 + digit;
  }
  groups[count] = group;
  return 1;
};

const hexDigit = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
};

/** Moves the groups after `::` to the end and fills the gap with zeros. */
const openGap = (gapAt: number, count: number): void => {
  groups.copyWithin(8 - (count - gapAt), gapAt, count);
  groups.fill(0, gapAt, 8 - (count - gapAt));
};

const writeWords = (into: Uint32Array): 1 | 4 => {
  for (let word = 0; word < 4; word += 1) {
    into[word] = (groups[word * 2] ?? 0) * 0x10000 + (groups[word * 2 + 1] ?? 0);
  }
  const isMapped = into[0] === 0 && into[1] === 0 && into[2] === 0xffff;
  if (!isMapped) return 4;
  into[0] = into[3] ?? 0;
  return 1;
};
