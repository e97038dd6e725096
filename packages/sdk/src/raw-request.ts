import type { CallOptions } from './operation-types.ts';
import { send } from './send.ts';
import { type HoldfastOptions, settingsOf } from './settings.ts';

export type RawRequest = CallOptions & {
  method: string;
  /** Below the path of the API, such as `servers`; below the service's own address if it begins with `/`. */
  path: string;
  query?: Record<string, string>;
  /** Sent as it is: JSON, unless `headers` say otherwise. */
  body?: string;
  headers?: Record<string, string>;
};

/**
 * Sends a request that `createHoldfast` has no method for, with the same key, time limit, waiting and errors.
 * Returns the JSON of the answer, or its text. Only a GET is repeated: of others the effect is unknown.
 */
export const sendRawRequest = async (
  options: HoldfastOptions,
  { method, path, query = {}, body, headers: given, ...limits }: RawRequest,
): Promise<unknown> => {
  const isFromRoot = path.startsWith('/');
  const settings = settingsOf(isFromRoot ? { ...options, basePath: '' } : options);
  const { apiUrl, key, userAgent } = settings;
  const url = new URL(isFromRoot ? `${apiUrl}${path}` : `${apiUrl}/${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers = new Headers({ accept: 'application/json' });
  if (userAgent !== undefined) headers.set('user-agent', userAgent);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  if (body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(given ?? {})) headers.set(name, value);
  const credentials = key === undefined ? 'same-origin' : 'omit';
  const request = {
    operation: `${method} ${path}`,
    url: url.href,
    init: { method, headers, body, credentials, redirect: 'error' } as const,
    isRepeatable: method === 'GET',
    isRaw: true,
  };
  return (await send(settings, request, limits)).data;
};
