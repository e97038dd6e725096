import type { Operations } from './calls.ts';
import { readRoutes } from './contract-facts.ts' with { type: 'macro' };
import type { Route } from './contract-facts.ts';
import { listAll } from './list-all.ts';
import { type AnyCall, prepareRequest } from './prepare-request.ts';
import { send } from './send.ts';
import { type HoldfastOptions, type Settings, settingsOf } from './settings.ts';
import { type Waits, waitsOf } from './waits.ts';

/** All operations, and waiting for those that take long. */
export type Holdfast = Operations & Waits;

export const createHoldfast = (options: HoldfastOptions): Holdfast => {
  const settings = settingsOf(options);
  const named = Object.entries(readRoutes()).map(([name, route]) => [
    name,
    operationOf(settings, route),
  ]);
  // The routes come from the contract's entries, and the types of the operations from the same.
  const operations = Object.fromEntries(named) as Operations;
  return { ...operations, ...waitsOf(operations) };
};

const operationOf = (settings: Settings, route: Route) => {
  const call = async (input: AnyCall = {}): Promise<unknown> => {
    const body = await send(settings, prepareRequest(settings, route, input), input);
    return route.isPaginated ? body : body.data;
  };
  return route.isPaginated ? Object.assign(call, { all: listAll(call) }) : call;
};
