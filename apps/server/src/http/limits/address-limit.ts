import { canonicalIp } from '@holdfast/contract';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { HttpEnv } from '../context.ts';
import type { ClientAddress } from './client-address.ts';

/** The client's address, by the headers of trusted proxies only. */
export const addressOf = (
  context: Context<HttpEnv>,
  { clientAddress }: { clientAddress: ClientAddress },
): string =>
  clientAddress(context.env.peerAddress(), context.req.header('x-forwarded-for') ?? null);

/** Whether an address (for IPv6, its /64) has a request left; each process counts for itself. */
export const createAddressLimit = (perMinute: number) => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return (address: string): Promise<boolean> =>
    limiter.consume(networkOf(address)).then(
      () => true,
      (rejection: unknown) => {
        if (rejection instanceof RateLimiterRes) return false;
        throw rejection;
      },
    );
};

/** An IPv6 subscriber owns at least a /64 and could use a new address of it for each request. */
export const networkOf = (address: string): string =>
  address.includes(':') ? (canonicalIp(`${address}/64`) ?? address) : address;
