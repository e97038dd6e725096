import { canonicalIp } from '@holdfast/contract';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { HttpEnv } from '../context.ts';
import type { ClientAddress } from './client-address.ts';
import type { MachineCounts } from './machine-counts.ts';

/** The client's address, by the headers of trusted proxies only. */
export const addressOf = (
  context: Context<HttpEnv>,
  { clientAddress }: { clientAddress: ClientAddress },
): string =>
  clientAddress(context.env.peerAddress(), context.req.header('x-forwarded-for') ?? null);

export const addressWindowSeconds = 60;

type PerMinute = { ofNetwork: number; ofSite: number };

export type AddressCounts = {
  /** Of a minute, shared by the processes of one machine; without it a process counts for itself. */
  addressCounts?: MachineCounts | undefined;
};

/**
 * Whether an address (for IPv6, its /64 and, where a number is given for it, its /48) has a request left of what
 * `name` limits. The processes at one port count together.
 */
export const createAddressLimit = (
  name: string,
  perMinute: number | PerMinute,
  { addressCounts }: AddressCounts,
) => {
  const { ofNetwork, ofSite } =
    typeof perMinute === 'number' ? { ofNetwork: perMinute, ofSite: undefined } : perMinute;
  const hasNetworkLeft = createLimit(name, ofNetwork, addressCounts);
  const hasSiteLeft =
    ofSite === undefined ? async () => true : createLimit(name, ofSite, addressCounts);
  return async (address: string): Promise<boolean> => {
    if (!(await hasNetworkLeft(networkOf(address)))) return false;
    const site = siteOf(address);
    return site === null || hasSiteLeft(site);
  };
};

const createLimit = (name: string, perMinute: number, shared: MachineCounts | undefined) => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: addressWindowSeconds });
  return async (counted: string): Promise<boolean> => {
    const count = shared?.count(`${name} ${counted}`);
    if (count) return count.consumedPoints <= perMinute;
    return limiter.consume(counted).then(
      () => true,
      (rejection: unknown) => {
        if (rejection instanceof RateLimiterRes) return false;
        throw rejection;
      },
    );
  };
};

/** An IPv6 subscriber owns at least a /64 and could use a new address of it for each request. */
export const networkOf = (address: string): string =>
  address.includes(':') ? (canonicalIp(`${address}/64`) ?? address) : address;

/** Many an IPv6 subscriber owns a /48, which has 65,536 networks; null for IPv4. */
export const siteOf = (address: string): string | null =>
  address.includes(':') ? (canonicalIp(`${address}/48`) ?? null) : null;
