import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ipWords } from '../../../src/kernel/ip-words.ts';

/** Two countries and three networks, one of them a VPN: small files that load fast. */
export const writeIpFiles = async (folder: string) => {
  const write = async (name: string, content: string | Buffer) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const place = (country: string, region: string) => ({
    country: { iso_code: country },
    subdivisions: [{ iso_code: region }],
  });
  const city = writeMmdb('City', {
    '9.0.0.0/8': place('DE', 'HH'),
    '8.0.0.0/8': place('US', 'MA'),
  });
  return {
    cityFile: await write('city.mmdb', city),
    asnFile: await write('asn.csv', '8.8.8.0/24,64501\n8.8.4.0/24,64500\n9.0.0.0/8,64502\n'),
    vpnAsnsFile: await write('vpn.csv', '64501\n'),
  };
};

type Value = string | number | Value[] | { [name: string]: Value };
type Leaf = { offset: number };
type Node = [Node | Leaf | undefined, Node | Leaf | undefined];

/**
 * A file of the MaxMind DB format (version 2, 24-bit records, a tree for IPv6 that holds IPv4 at its
 * bottom, as MaxMind's own files do): `networks` are blocks that do not overlap.
 */
export const writeMmdb = (kind: string, networks: Record<string, Value>): Buffer => {
  const root: Node = [undefined, undefined];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [network, value] of Object.entries(networks)) {
    const encoded = encode(value);
    plant(root, bitsOf(network), { offset });
    data.push(encoded);
    offset += encoded.length;
  }
  const { tree, nodeCount } = writeTree(root);
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: kind,
    description: {},
    ip_version: 6,
    languages: [],
    node_count: nodeCount,
    record_size: 24,
  });
  const mark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, mark, metadata]);
};

const bitsOf = (network: string): string => {
  const [address = '', prefix] = network.split('/');
  const words = ipWords(address);
  if (!words) throw new Error(`${network} is no network`);
  const bits = [...words].map((word) => word.toString(2).padStart(32, '0')).join('');
  const kept = bits.slice(0, Number(prefix ?? bits.length));
  return words.length === 1 ? '0'.repeat(96) + kept : kept;
};

const plant = (root: Node, bits: string, leaf: Leaf): void => {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = Number(bit) === 1 ? 1 : 0;
    const next = node[side];
    if (next && 'offset' in next) throw new Error('networks of a test file must not overlap');
    const child: Node = next ?? [undefined, undefined];
    node[side] = child;
    node = child;
  }
  node[bits.endsWith('1') ? 1 : 0] = leaf;
};

const writeTree = (root: Node): { tree: Buffer; nodeCount: number } => {
  const nodes: Node[] = [root];
  const numbers = new Map<Node, number>([[root, 0]]);
  for (const node of nodes) {
    for (const child of node) {
      if (!child || 'offset' in child) continue;
      numbers.set(child, nodes.length);
      nodes.push(child);
    }
  }
  const nodeCount = nodes.length;
  const recordOf = (child: Node[0]): number => {
    if (!child) return nodeCount;
    return 'offset' in child ? nodeCount + 16 + child.offset : (numbers.get(child) ?? 0);
  };
  const tree = Buffer.alloc(nodeCount * 6);
  nodes.forEach(([left, right], index) => {
    tree.writeUIntBE(recordOf(left), index * 6, 3);
    tree.writeUIntBE(recordOf(right), index * 6 + 3, 3);
  });
  return { tree, nodeCount };
};

const encode = (value: Value): Buffer => {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([control(7, entries.length), ...entries.flat().map(encode)]);
};

/** Type and size; what is longer than 28 has one more byte, types above 7 too. */
const control = (type: number, size: number): Buffer => {
  const sizeBits = Math.min(size, 29);
  const head = type > 7 ? [sizeBits, type - 7] : [(type << 5) | sizeBits];
  return Buffer.from(size > 28 ? [...head, size - 29] : head);
};
