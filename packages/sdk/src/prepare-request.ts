import type { Route } from './contract-macros.ts';
import type { Settings } from './settings.ts';

/** What every call takes beside its input. */
export type Limits = Pick<Settings, 'onResponse'> & { signal?: AbortSignal; timeoutMs?: number };

/** A call of any operation; its own type was checked at the call site. */
export type AnyCall = Limits & {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: object;
  idempotencyKey?: string;
};

export type PreparedRequest = {
  operation: string;
  url: string;
  init: RequestInit;
  /** Can be sent again if its outcome is unknown. */
  isRepeatable: boolean;
  /** The id of what it deletes. */
  deletedId?: string;
  /** Whatever is answered is its result. */
  isRaw?: boolean;
};

/** The same for every attempt, so that the service recognizes a repeat by its `Idempotency-Key`. */
export const prepareRequest = (
  { apiUrl, key, userAgent }: Settings,
  operation: string,
  { method, path, isUpload, refusesRepeat, deletedBy = '' }: Route,
  { params = {}, query = {}, body, idempotencyKey = randomKey() }: AnyCall,
): PreparedRequest => {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (userAgent !== undefined) headers['user-agent'] = userAgent;
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  // Of a form `fetch` sets it, with the boundary.
  if (body !== undefined && !isUpload) headers['content-type'] = 'application/json';
  if (method === 'POST') headers['idempotency-key'] = idempotencyKey;
  const deletedId = query[deletedBy] ?? params[deletedBy];
  return {
    operation,
    url: `${apiUrl}${fillPath(path, params)}${queryText(query)}`,
    init: {
      method,
      headers,
      body: body === undefined ? undefined : isUpload ? formOf(body) : JSON.stringify(body),
      credentials: key === undefined ? 'same-origin' : 'omit',
      // The API never redirects, and a key must not reach another server.
      redirect: 'error',
    },
    isRepeatable: refusesRepeat !== true,
    ...(deletedId !== undefined && { deletedId: String(deletedId) }),
  };
};

const formOf = (body: object): FormData => {
  const form = new FormData();
  for (const [name, file] of Object.entries(body)) form.append(name, file);
  return form;
};

const fillPath = (path: string, params: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    // An empty value, `.` and `..` would address another resource, such as the parent in a DELETE.
    if (/^\.*$/.test(value)) throw new TypeError(`params.${name} must be an id`);
    return encodeURIComponent(value);
  });

const queryText = (query: NonNullable<AnyCall['query']>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** Browsers have `randomUUID` only in secure contexts. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
