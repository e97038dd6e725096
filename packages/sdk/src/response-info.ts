/** What is left of the key's requests in its current window. */
export type RateLimit = { limit: number; remaining: number; resetAt: Date };

/** A response without its body; `onResponse` gets one for each that arrives. */
export type ResponseInfo = {
  /** The name of the operation that was called. */
  operation: string;
  status: number;
  /** Identifies the request in the service's log. */
  requestId: string | undefined;
  rateLimit: RateLimit | undefined;
  headers: Headers;
};

export const requestIdOf = (headers: Headers): string | undefined =>
  headers.get('x-request-id') ?? undefined;

/** Undefined if a proxy responded, or a page of another origin may not read the headers. */
export const rateLimitOf = (headers: Headers): RateLimit | undefined => {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number.parseInt(headers.get(`x-ratelimit-${name}`) ?? '', 10),
  );
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  if (Number.isNaN(limit + remaining + reset)) return undefined;
  return { limit, remaining, resetAt: new Date(reset * 1000) };
};
