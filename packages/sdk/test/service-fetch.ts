import type { TestService } from '../../../apps/server/test/harness/service.ts';
import type { HoldfastOptions } from '../src/index.ts';

export type Fetch = NonNullable<HoldfastOptions['fetch']>;

/** Calls the whole application without a socket. */
export const fetchFrom =
  (service: TestService): Fetch =>
  async (url, init) => {
    const { pathname, search } = new URL(url);
    const reply = await service.call(init.method ?? 'GET', `${pathname}${search}`, {
      headers: Object.fromEntries(new Headers(init.headers)),
      raw: init.body ?? undefined,
    });
    const { status, headers, text } = reply;
    return new Response(text, { status, headers });
  };

type SentRequest = { url: string; init: RequestInit; headers: Headers };

/** Passes on to `fetch`, and remembers what went by. */
export const watch = (fetch: Fetch): { fetch: Fetch; sent: SentRequest[] } => {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: (url, init) => {
      sent.push({ url, init, headers: new Headers(init.headers) });
      return fetch(url, init);
    },
  };
};
