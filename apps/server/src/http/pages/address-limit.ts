import { canonicalIp } from '@holdfast/contract';
import type { Context } from 'hono';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { HttpEnv } from '../admission.ts';
import type { ClientAddress } from '../client-address.ts';

/** Who is at the other end, as far as our own proxies can be believed. */
export const addressOf = (
  context: Context<HttpEnv>,
  { clientAddress }: { clientAddress: ClientAddress },
): string =>
  clientAddress(context.env.peerAddress(), context.req.header('x-forwarded-for') ?? null);

/** Whether an address (of IPv6, its /64) may do it once more; each process counts for itself. */
export const createAddressLimit = (perMinute: number) => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return (address: string): Promise<boolean> =>
    limiter.consume(prefixOf(address)).then(
      () => true,
      (refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return false;
        throw refusal;
      },
    );
};

/** An IPv6 connection owns at least a /64, and could take a new address out of it for each request. */
const prefixOf = (address: string): string =>
  address.includes(':') ? (canonicalIp(`${address}/64`) ?? address) : address;
