import { requestText } from './connection.ts';
import type { Tenant, World } from './world.ts';

/** What somebody who has nothing to do with it asks for all the while. */
export const otherTenantLoad = { connections: 8, rate: 200 };
const sliceMs = 1000;

/** The latencies of one second. */
export type Slice = number[];

/** Reads the tenant's account, until there are `most` slices or `isOver`. */
export const readAccount = async (
  world: World,
  tenant: Tenant,
  most: number,
  isOver = async () => false,
): Promise<Slice[]> => {
  const origin = world.service.url;
  const request = requestText({ origin, path: '/api/v1/account', key: tenant.key });
  const slices: Slice[] = [];
  do {
    const order = { origin, request, ...otherTenantLoad, durationMs: sliceMs };
    const measured = await world.load.run(order);
    slices.push(measured.latenciesMs);
  } while (slices.length < most && !(await isOver()));
  return slices;
};
