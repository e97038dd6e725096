import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type Endpoint, responseBody } from '../endpoint.ts';
import { generalError, missingScopeError, tooEarlyError, validationError } from '../errors.ts';

/** All responses of an endpoint: its own are inline, shared ones are references. */
export const responsesOf = (entry: Endpoint): ZodOpenApiResponsesObject => {
  const missing = entry.refusals?.[404] ?? (entry.owner && 'No such server.');
  const cooldown = entry.refusals?.[429];
  return {
    [`${entry.status}`]: success(entry),
    400: invalidInput,
    401: unauthorized,
    403: forbidden(entry),
    ...(missing && { 404: notFound(missing) }),
    ...(entry.method === 'POST' || entry.refusals?.[409] ? { 409: conflict(entry) } : {}),
    429: cooldown ? tooEarly(cooldown) : rateLimited,
    500: failure,
    503: unavailable,
  };
};

const replayed = z
  .literal('true')
  .optional()
  .meta({
    description: 'Present if this is the stored response to an earlier request.',
    header: { id: 'IdempotencyReplayed' },
  });

const retryAfter = z
  .int()
  .min(1)
  .meta({
    description: 'Whole seconds to wait before the next try.',
    example: 4,
    header: { id: 'RetryAfter' },
  });

const challenge = z
  .literal('Bearer')
  .meta({ description: 'The authentication scheme.', header: { id: 'WwwAuthenticate' } });

const commonHeaders = {
  'X-Request-Id': z.string().meta({
    description: 'Identifies this request in the log.',
    example: '0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11',
    header: { id: 'RequestId' },
  }),
  'X-RateLimit-Limit': z
    .int()
    .min(0)
    .meta({
      description: 'Requests allowed in the window of 10 seconds.',
      example: 50,
      header: { id: 'RateLimitLimit' },
    }),
  'X-RateLimit-Remaining': z
    .int()
    .min(0)
    .meta({
      description: 'Requests left in the window.',
      example: 49,
      header: { id: 'RateLimitRemaining' },
    }),
  'X-RateLimit-Reset': z
    .int()
    .min(0)
    .meta({
      description: 'When the window ends, in Unix seconds, rounded up.',
      example: 1769860810,
      header: { id: 'RateLimitReset' },
    }),
};

const success = (entry: Endpoint): ZodOpenApiResponseObject => ({
  description: successDescriptions[entry.status],
  headers: z.object({
    ...commonHeaders,
    ...(entry.method === 'POST' && !entry.showsSecret && { 'Idempotency-Replayed': replayed }),
  }),
  content: { 'application/json': { schema: responseBody(entry) } },
});

const successDescriptions: Record<Endpoint['status'], string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: the job is queued, and the record shows its progress.',
};

const json = (
  description: string,
  schema: z.ZodType,
  example: object,
  headers: z.ZodRawShape = {},
): ZodOpenApiResponseObject => ({
  description,
  headers: z.object({ ...commonHeaders, ...headers }),
  content: { 'application/json': { schema, example } },
});

/** The example is the description itself, since the service uses the same message. */
const refusal = (description: string): ZodOpenApiResponseObject =>
  json(description, generalError, { error: description.replace(/\.$/, '') });

const notFound = (description: string): ZodOpenApiResponseObject => {
  const resource = description.match(/^No such (\w+)/)?.[1] ?? 'record';
  const error = `${resource.charAt(0).toUpperCase()}${resource.slice(1)} not found`;
  return json(description, generalError, { error });
};

const invalidInput: ZodOpenApiResponseObject = {
  id: 'InvalidInput',
  ...json('Invalid input.', validationError, {
    error: 'Invalid input',
    details: { fieldErrors: { id: ['Must be a UUID'] }, formErrors: [] },
  }),
};

const unauthorized: ZodOpenApiResponseObject = {
  id: 'Unauthorized',
  ...json(
    'Missing, unknown, expired or revoked key.',
    generalError,
    { error: 'Missing, invalid or revoked API key' },
    { 'WWW-Authenticate': challenge },
  ),
};

const scopeExample = {
  error: 'Missing required scope: servers:write',
  requiredScope: 'servers:write',
  yourScopes: ['servers:read'],
};

const missingScope: ZodOpenApiResponseObject = {
  id: 'MissingScope',
  ...json('The key lacks the scope.', missingScopeError, scopeExample),
};

const forbidden = ({ refusals, feature }: Endpoint): ZodOpenApiResponseObject => {
  const reason = refusals?.[403] ?? (feature && 'The plan does not include this feature.');
  if (!reason) return missingScope;
  const schema = z.union([missingScopeError, generalError]);
  return json(`${reason} Or the scope is missing.`, schema, {
    error: reason.replace(/\.$/, ''),
  });
};

const usedKey = 'The `Idempotency-Key` belongs to another request, or to one still running.';

const idempotencyConflict: ZodOpenApiResponseObject = {
  id: 'IdempotencyConflict',
  ...json(usedKey, generalError, {
    error: 'This Idempotency-Key was used for another request',
  }),
};

const conflict = ({ refusals, method, conflictBody }: Endpoint): ZodOpenApiResponseObject => {
  const reason = refusals?.[409];
  if (!reason) return idempotencyConflict;
  if (conflictBody) {
    return { ...refusal(reason), content: { 'application/json': { schema: conflictBody } } };
  }
  if (method !== 'POST') return refusal(reason);
  return { ...refusal(reason), description: `${reason} Or the \`Idempotency-Key\` is taken.` };
};

const rateLimited: ZodOpenApiResponseObject = {
  id: 'RateLimited',
  ...json(
    'Rate limit exceeded.',
    generalError,
    { error: 'Rate limit exceeded: try again in 4 s' },
    { 'Retry-After': retryAfter },
  ),
};

const tooEarly = (reason: string): ZodOpenApiResponseObject =>
  json(
    `${reason} Or the rate limit is exceeded.`,
    tooEarlyError,
    {
      error: 'The cooldown is not over: the next pull of this server is possible in 1800 s',
      nextPullAt: '2026-01-31T12:00:00.000Z',
    },
    { 'Retry-After': retryAfter },
  );

const unavailable: ZodOpenApiResponseObject = {
  id: 'Unavailable',
  ...json(
    'The database is away or changes hands. Nothing was changed: try again.',
    generalError,
    { error: 'Not available at the moment: try again in 2 s' },
    { 'Retry-After': retryAfter },
  ),
};

const failure: ZodOpenApiResponseObject = {
  id: 'InternalError',
  ...json('Unexpected failure; the log has it under the request id.', generalError, {
    error: 'Internal server error',
  }),
};
