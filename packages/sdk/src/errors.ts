import type { InvalidInputDetails, Output } from './operations.ts';
import { type RateLimit, rateLimitOf, requestIdOf } from './response-info.ts';

/** The fields that an error of each kind always has. */
type FieldsByKind = {
  invalidInput: { details: InvalidInputDetails };
  unauthorized: object;
  missingScope: { requiredScope: string; yourScopes: string[] };
  /** In the dashboard: the session must confirm with its second factor first. */
  confirmationRequired: object;
  /** The plan does not allow it, or a limit is reached. */
  forbidden: object;
  notFound: object;
  conflict: object;
  /** The account cannot be deleted while orders, payouts or earnings are open. */
  stillOpen: { open: OpenItems };
  rateLimited: object;
  /** A pull came too soon after the last one. */
  cooldown: { nextPullAt: string };
  /** Everything else: the service or a proxy failed. */
  failure: object;
};

export type ErrorKind = keyof FieldsByKind;

type OpenItems = { orders: number; payouts: number; earnedCents: number };

type ErrorFields = {
  status: number;
  requestId?: string;
  retryAfterMs?: number;
  rateLimit?: RateLimit;
  details?: InvalidInputDetails;
  confirmationRequired?: boolean;
  requiredScope?: string;
  yourScopes?: string[];
  nextPullAt?: string;
  open?: OpenItems;
};

/** The service responded with an error. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly kind: ErrorKind;
  readonly status: number;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** What is wrong with the input, by field. */
  readonly details: InvalidInputDetails | undefined;
  readonly requiredScope: string | undefined;
  readonly yourScopes: string[] | undefined;
  readonly nextPullAt: string | undefined;
  readonly open: OpenItems | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.kind = kindOf(fields);
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.rateLimit = fields.rateLimit;
    this.details = fields.details;
    this.requiredScope = fields.requiredScope;
    this.yourScopes = fields.yourScopes;
    this.nextPullAt = fields.nextPullAt;
    this.open = fields.open;
  }

  /** Whether it is of that kind; narrows the type to the fields of the kind. */
  is<Kind extends ErrorKind>(kind: Kind): this is this & FieldsByKind[Kind] {
    return this.kind === kind;
  }
}

/** No response arrived, so it is unknown whether the request did. */
export class HoldfastNetworkError extends Error {
  override readonly name = 'HoldfastNetworkError';
  readonly isTimeout: boolean;

  constructor(message: string, { isTimeout, cause }: { isTimeout: boolean; cause: unknown }) {
    super(message, { cause });
    this.isTimeout = isTimeout;
  }
}

/** Node says only `fetch failed`, and keeps the reason as its cause, which may be several without a message. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const { cause: inner } = cause;
  if (!(inner instanceof Error)) return cause.message;
  const code = 'code' in inner ? String(inner.code) : cause.message;
  return inner.message || code;
};

export type JobRecord = Output<'getBackup'> | Output<'getRestore'> | Output<'getPull'>;

/** A job failed or was cancelled; its record has the details. */
export class HoldfastJobFailed extends Error {
  override readonly name = 'HoldfastJobFailed';
  readonly record: JobRecord;

  constructor(record: JobRecord) {
    super(record.error ?? `The job ended as ${record.status}`);
    this.record = record;
  }
}

export const errorFrom = (response: Response, body: unknown): HoldfastError => {
  const { status, headers } = response;
  const { error, ...fields } = isErrorBody(body)
    ? body
    : { error: `The answer was HTTP ${status}` };
  return new HoldfastError(error, {
    ...fields,
    status,
    requestId: requestIdOf(headers),
    retryAfterMs: retryAfterMsOf(headers.get('retry-after')),
    rateLimit: rateLimitOf(headers),
  });
};

type FieldOfHeaders = 'status' | 'requestId' | 'retryAfterMs' | 'rateLimit';

type ErrorBody = { error: string } & Omit<ErrorFields, FieldOfHeaders>;

/** A body with a text in `error` is the service's, so its other fields are as in the contract. */
const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';

/** The service sends seconds; a proxy may send a date. */
const retryAfterMsOf = (header: string | null): number | undefined => {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const kindOf = (fields: ErrorFields): ErrorKind => {
  const { status, details, confirmationRequired, requiredScope, nextPullAt, open } = fields;
  if (status === 400 && details) return 'invalidInput';
  if (status === 403 && confirmationRequired) return 'confirmationRequired';
  if (status === 403) return requiredScope === undefined ? 'forbidden' : 'missingScope';
  if (status === 429) return nextPullAt === undefined ? 'rateLimited' : 'cooldown';
  if (status === 409 && open) return 'stillOpen';
  return kindsByStatus[status] ?? 'failure';
};

const kindsByStatus: Record<number, ErrorKind> = {
  401: 'unauthorized',
  404: 'notFound',
  409: 'conflict',
};
