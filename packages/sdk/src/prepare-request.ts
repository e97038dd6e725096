import type { Route } from './contract-facts.ts';
import type { Settings } from './settings.ts';

/** A call in the one form that all operations share, once its types were checked where it was made. */
export type AnyCall = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: object;
  idempotencyKey?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
};

export type PreparedRequest = {
  url: string;
  init: RequestInit;
  /** Can be sent again when nobody knows what became of it. */
  isRepeatable: boolean;
};

/** The same for every try, so that the service knows a repeat by its `Idempotency-Key`. */
export const prepareRequest = (
  { apiUrl, key }: Settings,
  { method, path }: Route,
  { params = {}, query = {}, body, idempotencyKey = randomKey() }: AnyCall,
): PreparedRequest => {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method === 'POST') headers['idempotency-key'] = idempotencyKey;
  return {
    url: `${apiUrl}${fillPath(path, params)}${queryText(query)}`,
    init: {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: key === undefined ? 'same-origin' : 'omit',
      // The API never redirects, and a key is for nobody else.
      redirect: 'error',
    },
    isRepeatable: method === 'GET' || method === 'POST',
  };
};

const fillPath = (path: string, params: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    // Nothing, `.` and `..` would name another resource: in a DELETE perhaps the one above.
    if (/^\.*$/.test(value)) throw new TypeError(`params.${name} must be an id`);
    return encodeURIComponent(value);
  });

const queryText = (query: NonNullable<AnyCall['query']>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** Browsers offer `randomUUID` only to pages that came by TLS or from their own machine. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
