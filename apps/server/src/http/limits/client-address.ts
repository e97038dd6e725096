import { BlockList, isIPv6 } from 'node:net';
import { canonicalIp } from '@holdfast/contract';

export type ClientAddress = (peer: string, forwardedFor: string | null) => string;

/**
 * The address of the client: the peer itself, unless the peer is a trusted proxy; then the right-most
 * hop of X-Forwarded-For that is not one. Hops further left were written by the client and are ignored.
 */
export const clientAddressBehind = (trustedProxies: readonly string[]): ClientAddress => {
  const trusted = new BlockList();
  for (const proxy of trustedProxies) trust(trusted, proxy);
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  return (peer, forwardedFor) => {
    const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim());
    let client = canonicalIp(peer) ?? peer;
    while (isTrusted(client) && hops.length > 0) {
      const nearer = canonicalIp(hops.pop() ?? '');
      if (nearer === undefined || nearer.includes('/')) return client;
      client = nearer;
    }
    return client;
  };
};

const trust = (list: BlockList, proxy: string): void => {
  const block = canonicalIp(proxy);
  if (block === undefined) throw new Error(`TRUSTED_PROXIES: ${proxy} is not an address or block`);
  const [address = '', prefix] = block.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
};
