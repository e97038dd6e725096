/** An address block as bits: one number, its width, and how many leading bits count. */
type Block = { bits: bigint; width: 32 | 128; prefix: number };

const mappedV4 = 0xffffn << 32n;

/**
 * One spelling for each address or CIDR block: host bits cleared, IPv6 compressed and lower-case,
 * IPv4-mapped IPv6 folded to IPv4, a block of a single address written as that address.
 */
export const canonicalIp = (value: string): string | undefined => {
  const block = parseBlock(value.trim());
  return block && formatBlock(fold(block));
};

const parseBlock = (value: string): Block | undefined => {
  const [address = '', prefixText, ...rest] = value.split('/');
  const parsed = parseV4(address) ?? parseV6(address);
  if (!parsed || rest.length > 0) return undefined;
  if (prefixText === undefined) return { ...parsed, prefix: parsed.width };
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return undefined;
  const prefix = Number(prefixText);
  return prefix <= parsed.width ? { ...parsed, prefix } : undefined;
};

const parseV4 = (address: string): Omit<Block, 'prefix'> | undefined => {
  const parts = address.split('.');
  const valid = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  if (!valid || parts.some((part) => Number(part) > 255)) return undefined;
  return { bits: parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n), width: 32 };
};

const parseV6 = (address: string): Omit<Block, 'prefix'> | undefined => {
  const halves = address.split('::');
  if (!address.includes(':') || halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half, i) => groupsOf(half, i === halves.length - 1));
  const missing = 8 - head.length - tail.length;
  const compressed = halves.length === 2;
  if (compressed ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return {
    bits: groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n),
    width: 128,
  };
};

/** The 16-bit groups of one half; at the very end a dotted IPv4 address counts as two. */
const groupsOf = (half: string, isLast: boolean): string[] => {
  if (half === '') return [];
  const groups = half.split(':');
  const v4 = isLast ? parseV4(groups.at(-1) ?? '') : undefined;
  if (!v4) return groups;
  return [...groups.slice(0, -1), (v4.bits >> 16n).toString(16), (v4.bits & 0xffffn).toString(16)];
};

const fold = (block: Block): Block => {
  const isMapped = block.width === 128 && block.prefix >= 96 && block.bits >> 32n === 0xffffn;
  return isMapped ? { bits: block.bits - mappedV4, width: 32, prefix: block.prefix - 96 } : block;
};

const formatBlock = ({ bits, width, prefix }: Block): string => {
  const hostBits = BigInt(width - prefix);
  const network = (bits >> hostBits) << hostBits;
  const address = width === 32 ? formatV4(network) : formatV6(network);
  return prefix === width ? address : `${address}/${prefix}`;
};

const formatV4 = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');

/** RFC 5952: the longest run of two or more zero groups becomes `::`, the first of equals. */
const formatV6 = (bits: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  );
  const runs = groups.join(':').match(/\b0(:0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const text = groups.join(':').replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
  return text;
};
