import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import type { Payments } from '../payments.ts';
import { nowSeconds, originOf } from '../payments.ts';
import { nameOfField, readNestedForm } from './form-fields.ts';
import { apiVersion, sessionObject } from './objects.ts';
import { newCardId, newSession, sessionForm, validateForm } from './session.ts';

const path = '/v1/checkout/sessions';
const limitForm = bodyLimit({
  maxSize: 64 * 1024,
  onError: (c) => refuse(c, 413, { message: 'Request is too large.' }),
});

type StoredAnswer = { request: string; body: object };

/** The card provider's checkout sessions. Any key is accepted, but there must be one. */
export const mountCardApi = (app: PlatformApp, payments: Payments): void => {
  const { sessions } = payments;
  const answersByKey = new Map<string, StoredAnswer>();

  app.post(path, limitForm, async (c) => {
    if (!keyOf(c)) return refuseMissingKey(c);
    const request = await c.req.text();
    const idempotencyKey = c.req.header('idempotency-key');
    const stored = idempotencyKey === undefined ? undefined : answersByKey.get(idempotencyKey);
    if (stored) return replay(c, stored, request);
    const session = parseSession(c, request);
    if (session instanceof Response) return session;
    sessions.set(session.id, session);
    const body = sessionObject(session, nowSeconds());
    if (idempotencyKey !== undefined) answersByKey.set(idempotencyKey, { request, body });
    return answer(c, body);
  });

  app.get(`${path}/:id`, (c) => {
    if (!keyOf(c)) return refuseMissingKey(c);
    const id = c.req.param('id');
    const session = sessions.get(id);
    if (session) return answer(c, sessionObject(session, nowSeconds()));
    const message = `No such checkout.session: ${id}`;
    return refuse(c, 404, { message, param: 'session', code: 'resource_missing' });
  });
};

const parseSession = (c: Context, request: string) => {
  const now = nowSeconds();
  const parsed = sessionForm.safeParse(readNestedForm(request));
  if (!parsed.success) return refuse(c, 400, describeIssue(parsed.error));
  const error = validateForm(parsed.data, now);
  return error ? refuse(c, 400, error) : newSession(parsed.data, now, originOf(c));
};

const describeIssue = ({ issues: [issue] }: z.ZodError) => {
  if (issue?.code === 'unrecognized_keys') {
    const param = nameOfField([...issue.path, ...issue.keys.slice(0, 1)]);
    return { message: `Received unknown parameter: ${param}`, param, code: 'parameter_unknown' };
  }
  return { message: issue?.message ?? 'Invalid request', param: nameOfField(issue?.path ?? []) };
};

const replay = (c: Context, stored: StoredAnswer, request: string) => {
  if (stored.request === request) {
    c.header('Idempotent-Replayed', 'true');
    return answer(c, stored.body);
  }
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used with.';
  return refuse(c, 400, { message, type: 'idempotency_error' });
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

export const refuseMissingKey = (c: Context) =>
  refuse(c, 401, {
    message: 'You did not provide an API key: send it as Authorization: Bearer YOUR_SECRET_KEY.',
  });

export const keyOf = (c: Context): string | undefined =>
  /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
