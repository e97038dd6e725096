import { requestText } from '../lib/connection.ts';
import type { Bench, Tenant } from '../lib/environment.ts';

/** The requests of another tenant during a measurement. */
export const otherTenantLoad = { connections: 8, rate: 200 };
const sliceMs = 1000;

/** The latencies of one second. */
export type Slice = number[];

/** Reads the tenant's account, until there are `most` slices or `isOver`. */
export const readAccount = async (
  bench: Bench,
  tenant: Tenant,
  most: number,
  isOver = async () => false,
): Promise<Slice[]> => {
  const origin = bench.service.url;
  const request = requestText({ origin, path: '/api/v1/account', key: tenant.key });
  const slices: Slice[] = [];
  do {
    const order = { origin, requests: [request], ...otherTenantLoad, durationMs: sliceMs };
    const measured = await bench.load.run(order);
    slices.push(measured.latenciesMs);
  } while (slices.length < most && !(await isOver()));
  return slices;
};
