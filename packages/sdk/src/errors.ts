import type { InvalidInputDetails, Output } from './operations.ts';

/** What a refusal of each kind is sure to carry. */
type Particulars = {
  invalidInput: { details: InvalidInputDetails };
  unauthorized: object;
  missingScope: { requiredScope: string; yourScopes: string[] };
  /** In the dashboard: a code of the second factor is asked for first. */
  confirmationRequired: object;
  /** The plan does not allow it, or a limit is reached. */
  forbidden: object;
  notFound: object;
  conflict: object;
  /** An account is not deleted while something of it is open. */
  stillOpen: { open: OpenMatters };
  rateLimited: object;
  /** A pull came too soon after the last one. */
  cooldown: { nextPullAt: string };
  /** Everything else: the service, or something before it, failed. */
  failure: object;
};

export type ErrorKind = keyof Particulars;

export type OpenMatters = { orders: number; payouts: number; earnedCents: number };

type ErrorFields = {
  status: number;
  requestId?: string;
  retryAfterMs?: number;
  details?: InvalidInputDetails;
  confirmationRequired?: boolean;
  requiredScope?: string;
  yourScopes?: string[];
  nextPullAt?: string;
  open?: OpenMatters;
};

/** The service answered, but not with success. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly kind: ErrorKind;
  readonly status: number;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** What is wrong with the input, by field. */
  readonly details: InvalidInputDetails | undefined;
  readonly requiredScope: string | undefined;
  readonly yourScopes: string[] | undefined;
  readonly nextPullAt: string | undefined;
  readonly open: OpenMatters | undefined;

  constructor(message: string, fields: ErrorFields) {
    super(message);
    this.kind = kindOf(fields);
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.details = fields.details;
    this.requiredScope = fields.requiredScope;
    this.yourScopes = fields.yourScopes;
    this.nextPullAt = fields.nextPullAt;
    this.open = fields.open;
  }

  /** Whether it is of that kind; the compiler then knows what it carries. */
  is<Kind extends ErrorKind>(kind: Kind): this is this & Particulars[Kind] {
    return this.kind === kind;
  }
}

/** No answer of the service arrived: nobody knows whether the request did. */
export class HoldfastNetworkError extends Error {
  override readonly name = 'HoldfastNetworkError';
  readonly isTimeout: boolean;

  constructor(message: string, { isTimeout, cause }: { isTimeout: boolean; cause: unknown }) {
    super(message, { cause });
    this.isTimeout = isTimeout;
  }
}

export type JobRecord = Output<'getBackup'> | Output<'getRestore'> | Output<'getPull'>;

/** A job ended without having done its work; its record tells all about it. */
export class HoldfastJobFailed extends Error {
  override readonly name = 'HoldfastJobFailed';
  readonly record: JobRecord;

  constructor(record: JobRecord) {
    super(record.error ?? `The job ended as ${record.status}`);
    this.record = record;
  }
}

/** What went wrong, as the answer tells it. */
export const errorFrom = (response: Response, body: unknown): HoldfastError => {
  const { status, headers } = response;
  const { error, ...told } = isRefusal(body) ? body : { error: `The answer was HTTP ${status}` };
  return new HoldfastError(error, {
    ...told,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMsOf(headers.get('retry-after')),
  });
};

type Refusal = { error: string } & Omit<ErrorFields, 'status' | 'requestId' | 'retryAfterMs'>;

/** Whoever says `error` as text speaks for the service, and what else it says is by the contract. */
const isRefusal = (body: unknown): body is Refusal =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';

/** The service names seconds; something before it may name a time. */
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
