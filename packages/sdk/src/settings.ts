import { readApiPrefix } from './contract-facts.ts' with { type: 'macro' };

export type HoldfastOptions = {
  /** Where the service is, such as `https://holdfast.example.com`. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer`. Without it the browser's cookies speak for the caller. */
  key?: string;
  /** Where the API stands below `baseUrl`; `/api/v1` unless said. */
  basePath?: string;
  /** Used in place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How long one try may take; 15 s unless said. */
  timeoutMs?: number;
  /** How often a call that can be repeated safely is tried again; 3 unless said. */
  retries?: number;
  /** How long a call may wait in all because of 429; 30 s unless said, 0 for not at all. */
  maxWaitMs?: number;
};

export type Settings = Required<Omit<HoldfastOptions, 'baseUrl' | 'basePath' | 'key'>> & {
  /** What every path is put behind. */
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

/** Throws for what is no absolute URL, so that the mistake shows where it was made. */
const apiUrlOf = ({ baseUrl, basePath = readApiPrefix() }: HoldfastOptions): string => {
  const { origin, pathname } = new URL(baseUrl);
  const parts = `${pathname}/${basePath}`.split('/').filter(Boolean);
  return [origin, ...parts].join('/');
};
