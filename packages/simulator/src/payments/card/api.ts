import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { newCardId } from './card-id.ts';
import { nameOfField, readNestedForm } from './form-fields.ts';
import { apiVersion } from './objects.ts';

/** What all routes of the card provider's API share: key, forms, errors, idempotency keys. */

export const limitForm = bodyLimit({
  maxSize: 64 * 1024,
  onError: (c) => refuse(c, 413, { message: 'Request is too large.' }),
});

/** Any key is accepted, but there must be one. */
export const requireKey: MiddlewareHandler = async (c, next) => {
  if (/^Bearer (\S+)$/.test(c.req.header('authorization') ?? '')) return next();
  return refuse(c, 401, {
    message: 'You did not provide an API key: send it as Authorization: Bearer YOUR_SECRET_KEY.',
  });
};

type StoredAnswer = { request: string; body: string };

/** A repeated key gets the first answer, and no second effect. Refused requests are not remembered. */
export const answerOnce = (): MiddlewareHandler => {
  const answersByKey = new Map<string, StoredAnswer>();
  return async (c, next) => {
    const key = c.req.header('idempotency-key');
    if (key === undefined || c.req.method !== 'POST') return next();
    const request = `${c.req.path}\n${await c.req.text()}`;
    const stored = answersByKey.get(key);
    if (stored) return replay(c, stored, request);
    await next();
    if (c.res.ok) answersByKey.set(key, { request, body: await c.res.clone().text() });
    return undefined;
  };
};

const replay = (c: Context, stored: StoredAnswer, request: string) => {
  if (stored.request === request) {
    c.header('Idempotent-Replayed', 'true');
    return answer(c, JSON.parse(stored.body));
  }
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used with.';
  return refuse(c, 400, { message, type: 'idempotency_error' });
};

/** The parsed form, or the refusal that names what is wrong with it. */
export const readForm = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<ReadForm<Schema>> => parseForm(c, schema, await c.req.text());

/** What a deletion is told stands in its address. */
export const readQuery = <Schema extends z.ZodType>(c: Context, schema: Schema): ReadForm<Schema> =>
  parseForm(c, schema, new URL(c.req.url).search);

type ReadForm<Schema extends z.ZodType> = { form: z.output<Schema> } | { refusal: Response };

const parseForm = <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  text: string,
): ReadForm<Schema> => {
  const parsed = schema.safeParse(readNestedForm(text));
  return parsed.success
    ? { form: parsed.data }
    : { refusal: refuse(c, 400, describeIssue(parsed.error)) };
};

const describeIssue = ({ issues: [issue] }: z.ZodError): CardError => {
  if (issue?.code === 'unrecognized_keys') {
    const param = nameOfField([...issue.path, ...issue.keys.slice(0, 1)]);
    return { message: `Received unknown parameter: ${param}`, param, code: 'parameter_unknown' };
  }
  return { message: issue?.message ?? 'Invalid request', param: nameOfField(issue?.path ?? []) };
};

export const answer = (c: Context, body: object) => {
  c.header('Request-Id', newCardId('req'));
  c.header('Stripe-Version', apiVersion);
  return c.json(body);
};

type CardError = { message: string; param?: string; code?: string; type?: string };

export const refuse = (c: Context, status: ContentfulStatusCode, error: CardError) => {
  c.header('Request-Id', newCardId('req'));
  return c.json({ error: { type: 'invalid_request_error', ...error } }, status);
};

export const refuseMissing = (c: Context, kind: string, id: string, param = 'id') =>
  refuse(c, 404, { message: `No such ${kind}: '${id}'`, code: 'resource_missing', param });

export const listOf = (url: string, data: object[]) => ({
  object: 'list',
  data,
  has_more: false,
  url,
});
