import type { KeyScope, ValidationDetails } from '@holdfast/contract';

type HttpErrorStatus = 400 | 401 | 403 | 404 | 409 | 429 | 503;

/** A failure that ends a request with a 4xx or a 503. Anything else that is thrown ends it with a 500. */
export class HttpError extends Error {
  constructor(
    readonly status: HttpErrorStatus,
    message: string,
    readonly extra: Record<string, unknown> = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

export const unauthorized = (): HttpError =>
  new HttpError(401, 'Missing, invalid or revoked API key', {}, { 'WWW-Authenticate': 'Bearer' });

/** The dashboard asks its user for a code of their second factor, then sends the request again. */
export const secondFactorRequired = (): HttpError =>
  new HttpError(403, 'Confirm this with a code of your second factor', {
    confirmationRequired: true,
  });

export const missingScope = (scope: KeyScope, yourScopes: readonly string[]): HttpError =>
  new HttpError(403, `Missing required scope: ${scope}`, { requiredScope: scope, yourScopes });

export const invalid = (
  details: Partial<ValidationDetails>,
  headers?: Record<string, string>,
): HttpError => {
  const all = { fieldErrors: {}, formErrors: [], ...details };
  return new HttpError(400, 'Invalid input', { details: all }, headers);
};

export const invalidField = (field: string, message: string): HttpError =>
  invalid({ fieldErrors: { [field]: [message] } });

export const notFound = (thing: string): HttpError => new HttpError(404, `${thing} not found`);

/** The caller may see it but not do this, because of their role, their plan or their balance. */
export const forbidden = (message: string): HttpError => new HttpError(403, message);

export const conflict = (message: string): HttpError => new HttpError(409, message);

const retryLater = (message: string, retryAfterSeconds: number, extra = {}): HttpError =>
  new HttpError(429, message, extra, { 'Retry-After': String(retryAfterSeconds) });

/** The plan sets a wait between two pulls of one server. */
export const pullTooEarly = (nextPullAt: Date, retryAfterSeconds: number): HttpError =>
  retryLater(
    `The cooldown is not over: the next pull of this server is possible in ${retryAfterSeconds} s`,
    retryAfterSeconds,
    { nextPullAt: nextPullAt.toISOString() },
  );

export const drillTooEarly = (retryAfterSeconds: number): HttpError =>
  retryLater(
    `There was a fire drill of this server a short time ago: the next one is possible in ${Math.ceil(retryAfterSeconds / 60)} minutes`,
    retryAfterSeconds,
  );

export const tooManyRequests = (retryAfterSeconds: number): HttpError =>
  retryLater(`Rate limit exceeded: try again in ${retryAfterSeconds} s`, retryAfterSeconds);

/** A heavy read ran out of time. */
export const readTooHeavy = (retryAfterSeconds: number): HttpError =>
  retryLater(
    `This takes too long at the moment: ask for less at once, and again in ${retryAfterSeconds} s`,
    retryAfterSeconds,
  );

export const tooManyWrongCodes = (retryAfterSeconds: number): HttpError =>
  retryLater(
    `Too many wrong codes: try again in ${Math.ceil(retryAfterSeconds / 60)} minutes`,
    retryAfterSeconds,
  );

const databaseRetrySeconds = 2;

/** The database is away, another host takes over, or others hold what is needed; nothing was changed. */
export const databaseAway = (): HttpError =>
  new HttpError(
    503,
    `Not available at the moment: try again in ${databaseRetrySeconds} s`,
    {},
    { 'Retry-After': String(databaseRetrySeconds) },
  );

const streamRetrySeconds = 30;

/** Of the dashboard's streams of events; the page polls meanwhile. */
export const tooManyStreams = (): HttpError =>
  retryLater('Too many windows of the dashboard are open', streamRetrySeconds);

/** Not the caller's fault, and soon over. */
export const serviceBusy = (message: string): HttpError =>
  new HttpError(503, message, {}, { 'Retry-After': String(streamRetrySeconds) });
