import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { PlatformApp } from '../platform/platform.ts';
import { apiVersion, sessionObject } from './card-objects.ts';
import { faultOf, newSession, sessionForm } from './card-session.ts';
import { nameOfField, readNestedForm } from './form-fields.ts';
import { newCardId } from './made-up-ids.ts';
import type { Payments } from './payments.ts';
import { nowSeconds, originOf } from './request-facts.ts';

const path = '/v1/checkout/sessions';
const longestForm = bodyLimit({
  maxSize: 64 * 1024,
  onError: (c) => refuse(c, 413, { message: 'Request is too large.' }),
});

type Kept = { request: string; body: object };

/** The card provider's API, as far as a checkout needs it. Any key is good, but there must be one. */
export const mountCardApi = (app: PlatformApp, payments: Payments): void => {
  const { sessions } = payments;
  const keptAnswers = new Map<string, Kept>();

  app.post(path, longestForm, async (c) => {
    if (!keyOf(c)) return refuseKey(c);
    const request = await c.req.text();
    const idempotencyKey = c.req.header('idempotency-key');
    const kept = idempotencyKey === undefined ? undefined : keptAnswers.get(idempotencyKey);
    if (kept) return repeat(c, kept, request);
    const made = makeSession(c, request);
    if (made instanceof Response) return made;
    sessions.set(made.id, made);
    const body = sessionObject(made, nowSeconds());
    if (idempotencyKey !== undefined) keptAnswers.set(idempotencyKey, { request, body });
    return answer(c, body);
  });

  app.get(`${path}/:id`, (c) => {
    if (!keyOf(c)) return refuseKey(c);
    const id = c.req.param('id');
    const session = sessions.get(id);
    if (session) return answer(c, sessionObject(session, nowSeconds()));
    const message = `No such checkout.session: ${id}`;
    return refuse(c, 404, { message, param: 'session', code: 'resource_missing' });
  });
};

const makeSession = (c: Context, request: string) => {
  const now = nowSeconds();
  const parsed = sessionForm.safeParse(readNestedForm(request));
  if (!parsed.success) return refuse(c, 400, describeIssue(parsed.error));
  const fault = faultOf(parsed.data, now);
  return fault ? refuse(c, 400, fault) : newSession(parsed.data, now, originOf(c));
};

const describeIssue = ({ issues: [issue] }: z.ZodError) => {
  if (issue?.code === 'unrecognized_keys') {
    const param = nameOfField([...issue.path, ...issue.keys.slice(0, 1)]);
    return { message: `Received unknown parameter: ${param}`, param, code: 'parameter_unknown' };
  }
  return { message: issue?.message ?? 'Invalid request', param: nameOfField(issue?.path ?? []) };
};

const repeat = (c: Context, kept: Kept, request: string) => {
  if (kept.request === request) {
    c.header('Idempotent-Replayed', 'true');
    return answer(c, kept.body);
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

type Fault = { message: string; param?: string; code?: string; type?: string };

export const refuse = (c: Context, status: ContentfulStatusCode, fault: Fault) => {
  c.header('Request-Id', newCardId('req'));
  return c.json({ error: { type: 'invalid_request_error', ...fault } }, status);
};

export const refuseKey = (c: Context) =>
  refuse(c, 401, {
    message: 'You did not provide an API key: send it as Authorization: Bearer YOUR_SECRET_KEY.',
  });

export const keyOf = (c: Context): string | undefined =>
  /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
