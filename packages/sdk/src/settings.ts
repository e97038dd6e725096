import { readApiPrefix } from './contract-macros.ts' with { type: 'macro' };
import { sleep } from './deadline.ts';
import type { ResponseInfo } from './response-info.ts';
import { userAgentOf } from './user-agent.ts';

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
  /** Called for each response: also for those that are refused, repeated, polled or one page of many. */
  onResponse?: (response: ResponseInfo) => void;
  /** Your program, such as `nightly-backup/1.2`: sent as `User-Agent`, except by browsers. */
  userAgent?: string;
};

export type Settings = Required<
  Pick<HoldfastOptions, 'fetch' | 'timeoutMs' | 'retries' | 'maxWaitMs'>
> &
  Pick<HoldfastOptions, 'key' | 'onResponse' | 'userAgent'> & {
    /** The prefix of every path. */
    apiUrl: string;
    /** Between two attempts, and two looks at a job. */
    pause: typeof sleep;
  };

export const settingsOf = (options: HoldfastOptions): Settings => ({
  apiUrl: apiUrlOf(options),
  key: options.key,
  fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  timeoutMs: options.timeoutMs ?? 15_000,
  retries: options.retries ?? 3,
  maxWaitMs: options.maxWaitMs ?? 30_000,
  onResponse: options.onResponse,
  userAgent: userAgentOf(options.userAgent),
  pause: sleep,
});

/** Throws if it is not an absolute URL, so that the mistake shows when the client is created. */
const apiUrlOf = ({ baseUrl, basePath = readApiPrefix() }: HoldfastOptions): string => {
  const { origin, pathname } = new URL(baseUrl);
  const parts = `${pathname}/${basePath}`.split('/').filter(Boolean);
  return [origin, ...parts].join('/');
};
