import { readApiPrefix } from './contract-macros.ts' with { type: 'macro' };

export type HoldfastOptions = {
  /** Where the service is, such as `https://holdfast.example.com`. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer`. Without it the browser's cookies are sent. */
  key?: string;
  /** The API's path below `baseUrl`; `/api/v1` by default. */
  basePath?: string;
  /** Used in place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The time limit of one attempt; 15 s by default. */
  timeoutMs?: number;
  /** How often a call that is safe to repeat is tried again; 3 by default. */
  retries?: number;
  /** How long a call may wait in total because of 429; 30 s by default, 0 to disable. */
  maxWaitMs?: number;
};

export type Settings = Required<Omit<HoldfastOptions, 'baseUrl' | 'basePath' | 'key'>> & {
  /** The prefix of every path. */
  apiUrl: string;
  key: string | undefined;
};

export const settingsOf = (options: HoldfastOptions): Settings => ({
  apiUrl: apiUrlOf(options),
  key: options.key,
  fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  timeoutMs: options.timeoutMs ?? 15_000,
  retries: options.retries ?? 3,
  maxWaitMs: options.maxWaitMs ?? 30_000,
});

/** Throws if it is not an absolute URL, so that the mistake shows when the client is created. */
const apiUrlOf = ({ baseUrl, basePath = readApiPrefix() }: HoldfastOptions): string => {
  const { origin, pathname } = new URL(baseUrl);
  const parts = `${pathname}/${basePath}`.split('/').filter(Boolean);
  return [origin, ...parts].join('/');
};
