import type { AnyCall } from './prepare-request.ts';

type Page = { data: { id: string }[]; pagination: { totalPages: number } };

const largestPage = 100;

/**
 * Every entry of a list, page by page. Lists are newest first: what is added meanwhile pushes the
 * last entries of a page onto the next one, so an entry of the page before is not given again.
 */
export const listAll = (list: (call: AnyCall) => Promise<unknown>) =>
  async function* (call: AnyCall = {}): AsyncGenerator<{ id: string }, void, undefined> {
    let given = new Set<string>();
    for (let page = Number(call.query?.page ?? 1); ; page++) {
      const query = { limit: largestPage, ...call.query, page };
      // By the contract every list answers this, and every entry has its id.
      const { data, pagination } = (await list({ ...call, query })) as Page;
      yield* data.filter(({ id }) => !given.has(id));
      if (page >= pagination.totalPages) return;
      given = new Set(data.map(({ id }) => id));
    }
  };
