import type { KeyScope, ValidationDetails } from '@holdfast/contract';

type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 429;

/** A failure that ends a request with a clear 4xx. Thrown only by the factories below. */
export class Refusal extends Error {
  constructor(
    readonly status: RefusalStatus,
    message: string,
    readonly extra: Record<string, unknown> = {},
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export const unauthorized = (): Refusal =>
  new Refusal(401, 'Missing, invalid or revoked API key', {}, { 'WWW-Authenticate': 'Bearer' });

/** The dashboard asks its user for a code of their second factor, then tries again. */
export const confirmFirst = (): Refusal =>
  new Refusal(403, 'Confirm this with a code of your second factor', {
    confirmationRequired: true,
  });

export const missingScope = (scope: KeyScope, held: readonly string[]): Refusal =>
  new Refusal(403, `Missing required scope: ${scope}`, { requiredScope: scope, yourScopes: held });

export const invalid = (
  details: Partial<ValidationDetails>,
  headers?: Record<string, string>,
): Refusal => {
  const all = { fieldErrors: {}, formErrors: [], ...details };
  return new Refusal(400, 'Invalid input', { details: all }, headers);
};

export const invalidField = (field: string, message: string): Refusal =>
  invalid({ fieldErrors: { [field]: [message] } });

export const notFound = (thing: string): Refusal => new Refusal(404, `${thing} not found`);

/** It is there, and the caller may see it, but not do this. */
export const notAllowed = (sentence: string): Refusal => new Refusal(403, sentence);

export const planRefuses = (sentence: string): Refusal => new Refusal(403, sentence);

export const conflict = (sentence: string): Refusal => new Refusal(409, sentence);

/** The plan asks for a wait between two pulls of one server. */
export const pullTooEarly = (nextPullAt: Date, retryAfterSeconds: number): Refusal =>
  new Refusal(
    429,
    `The cooldown is not over: the next pull of this server is possible in ${retryAfterSeconds} s`,
    { nextPullAt: nextPullAt.toISOString() },
    { 'Retry-After': String(retryAfterSeconds) },
  );

export const tooManyRequests = (retryAfterSeconds: number): Refusal =>
  new Refusal(
    429,
    `Rate limit exceeded: try again in ${retryAfterSeconds} s`,
    {},
    { 'Retry-After': String(retryAfterSeconds) },
  );

export const tooManyWrongCodes = (retryAfterSeconds: number): Refusal =>
  new Refusal(
    429,
    `Too many wrong codes: try again in ${Math.ceil(retryAfterSeconds / 60)} minutes`,
    {},
    { 'Retry-After': String(retryAfterSeconds) },
  );
