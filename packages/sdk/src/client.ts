import type { DashboardOperations, Operations } from './calls.ts';
import { readDashboardPrefix, readDashboardRoutes, readRoutes } from './contract-facts.ts' with {
  type: 'macro',
};
import type { Route } from './contract-facts.ts';
import { listAll } from './list-all.ts';
import { type AnyCall, prepareRequest } from './prepare-request.ts';
import { send } from './send.ts';
import { type HoldfastOptions, type Settings, settingsOf } from './settings.ts';
import { type Waits, waitsOf } from './waits.ts';

/** All operations, and waiting for those that take long. */
export type Holdfast = Operations & Waits;

export const createHoldfast = (options: HoldfastOptions): Holdfast => {
  const operations = operationsOf<Operations>(settingsOf(options), readRoutes());
  return { ...operations, ...waitsOf(operations) };
};

/** The same for a page of the service itself: its session's cookie takes the place of a key. */
export type HoldfastDashboard = DashboardOperations & Waits;

export const createHoldfastDashboard = (
  options: Omit<HoldfastOptions, 'key' | 'basePath'>,
): HoldfastDashboard => {
  const settings = settingsOf({ ...options, basePath: readDashboardPrefix() });
  const routes = { ...readRoutes(), ...readDashboardRoutes() };
  const operations = operationsOf<DashboardOperations>(settings, routes);
  return { ...operations, ...waitsOf(operations) };
};

/** The routes come from the contract's entries, and the types of the operations from the same. */
const operationsOf = <Named>(settings: Settings, routes: Record<string, Route>): Named =>
  Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, operationOf(settings, route)]),
  ) as Named;

const operationOf = (settings: Settings, route: Route) => {
  const call = async (input: AnyCall = {}): Promise<unknown> => {
    const body = await send(settings, prepareRequest(settings, route, input), input);
    return route.isPaginated ? body : body.data;
  };
  return route.isPaginated ? Object.assign(call, { all: listAll(call) }) : call;
};
