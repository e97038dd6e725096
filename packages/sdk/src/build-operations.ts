import type { Route } from './contract-macros.ts';
import { type AnyCall, prepareRequest } from './prepare-request.ts';
import { send } from './send.ts';
import type { Settings } from './settings.ts';

/** Routes and types come from the same entries of the contract. */
export const operationsOf = <Named>(settings: Settings, routes: Record<string, Route>): Named =>
  Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, operationOf(settings, name, route)]),
  ) as Named;

const operationOf = (settings: Settings, name: string, route: Route) => {
  const call = async (input: AnyCall = {}): Promise<unknown> => {
    const body = await send(settings, prepareRequest(settings, name, route, input), input);
    return route.isPaginated ? body : body.data;
  };
  return route.isPaginated ? Object.assign(call, { all: listAll(call) }) : call;
};

type Page = { data: { id: string }[]; pagination: { totalPages: number } };

const maxPageSize = 100;

/**
 * The entries of a list, page by page. Lists are newest first: an entry that is added meanwhile moves
 * the last ones of a page to the next page, so entries of the previous page are skipped there.
 */
const listAll = (list: (call: AnyCall) => Promise<unknown>) =>
  async function* (call: AnyCall = {}): AsyncGenerator<{ id: string }, void, undefined> {
    let previousIds = new Set<string>();
    for (let page = Number(call.query?.page ?? 1); ; page++) {
      const query = { limit: maxPageSize, ...call.query, page };
      // By the contract every list has this form, and every entry an id.
      const { data, pagination } = (await list({ ...call, query })) as Page;
      yield* data.filter(({ id }) => !previousIds.has(id));
      if (page >= pagination.totalPages) return;
      previousIds = new Set(data.map(({ id }) => id));
    }
  };
