import type { Context } from 'hono';

/** Where the caller reached us: pages are to be found there, too. */
export const originOf = (c: Context): string => new URL(c.req.url).origin;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
