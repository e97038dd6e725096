import { BlockList, isIPv6 } from 'node:net';

/** Addresses that nobody has on the public network (IANA's special-purpose registries). */
const blocks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/127',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

const privateBlocks = new BlockList();
for (const block of blocks) {
  const [address = '', prefix] = block.split('/');
  privateBlocks.addSubnet(address, Number(prefix), familyOf(address));
}

/** Of an address in its canonical form. */
export const isPrivate = (address: string): boolean =>
  privateBlocks.check(address, familyOf(address));
