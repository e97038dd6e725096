import { z } from 'zod';
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { generalError, validationError } from '../errors.ts';

/** Endpoints without a key: webhooks of payment providers, health and metrics. */
export const servicePaths = (cryptoProvider: string): ZodOpenApiPathsObject => ({
  '/api/billing/webhook': {
    post: {
      operationId: 'cardWebhook',
      tags: ['Webhooks'],
      summary: 'Take an event of the card provider',
      description:
        'Signed over the raw body with `BILLING_SIGNING_SECRET`. An event is processed once, however often it is sent. Other types of events are accepted and ignored.',
      security: [],
      requestParams: { header: z.object({ 'Billing-Signature': cardSignature }) },
      requestBody: { required: true, content: { 'application/json': { schema: cardEvent } } },
      responses: {
        200: json('Accepted.', received, { data: { received: true } }),
        ...refusals,
      },
    },
  },
  [`/api/${cryptoProvider}/webhook`]: {
    post: {
      operationId: 'cryptoWebhook',
      tags: ['Webhooks'],
      summary: 'Take a notification of the cryptocurrency provider',
      description:
        'Signed over the raw body with `CRYPTO_MERCHANT_SECRET`. Each status of a payment is processed once.',
      security: [],
      requestParams: { header: z.object({ HMAC: cryptoSignature }) },
      requestBody: { required: true, content: { 'application/json': { schema: notification } } },
      responses: {
        200: {
          description: 'Accepted.',
          content: { 'text/plain': { schema: z.literal('ok'), example: 'ok' } },
        },
        ...refusals,
      },
    },
  },
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: ['Health'],
      summary: 'Whether the process is alive',
      security: [],
      responses: { 200: json('It is.', alive, { status: 'alive' }), 400: malformed },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: ['Health'],
      summary: 'Whether database and queue answer',
      security: [],
      responses: {
        200: json('Both answer.', readiness, { database: true, queue: true }),
        400: malformed,
        503: json('One of them does not.', readiness, { database: false, queue: false }),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['Health'],
      summary: 'Measurements for Prometheus',
      description: 'For loopback, or with `METRICS_TOKEN` as the bearer token.',
      security: [],
      responses: {
        200: {
          description: "Prometheus' text format.",
          content: { 'text/plain': { schema: z.string(), example: 'process_cpu_seconds_total 1' } },
        },
        403: json('Neither from loopback nor with the token.', generalError, {
          error: 'Metrics need METRICS_TOKEN, or a request from loopback',
        }),
      },
    },
  },
});

const json = (
  description: string,
  schema: z.ZodType,
  example: object,
): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema, example } },
});

const cardSignature = z.string().meta({
  description: '`t=<timestamp>,v1=<signature>`; `Stripe-Signature` is accepted as the same header.',
  example: 't=1769860800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
});

const cryptoSignature = z.string().meta({
  description: 'HMAC-SHA512 of the body, in hexadecimal.',
  example: 'b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad'.repeat(2),
});

const cardEvent = z
  .looseObject({ id: z.string(), type: z.string() })
  .meta({ example: { id: 'evt_1', type: 'checkout.session.completed', data: { object: {} } } });

const notification = z
  .looseObject({})
  .meta({ example: { trackId: '1', orderId: 'f1b7c2d0', status: 'Paid', amount: 5 } });

const received = z.object({ data: z.object({ received: z.literal(true) }) });
const alive = z.object({ status: z.literal('alive') });
const readiness = z.object({
  database: z.boolean(),
  queue: z.boolean(),
  processes: z
    .boolean()
    .optional()
    .meta({ description: 'Where several processes share the port: each of them has started.' }),
});

const malformed = json('The request is malformed.', generalError, { error: 'Bad request' });

const refusals = {
  400: json(
    'The signature is missing or wrong, or the body is no event.',
    validationError.or(generalError),
    {
      error: 'The signature is missing or does not fit',
    },
  ),
  500: json('Not processed: send it again.', generalError, { error: 'Internal server error' }),
  503: json('Not processed while the database is away: send it again.', generalError, {
    error: 'Not available at the moment: try again in 2 s',
  }),
};
