import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { answerBody, type Endpoint } from './endpoint.ts';
import { generalError, missingScopeError, validationError } from './errors.ts';
import { apiPrefix } from './prefix.ts';

type Description = { version: string; baseUrl: string };

/** The contract as an OpenAPI 3.1 document. */
export const openApiDocument = (
  endpoints: Record<string, Endpoint>,
  { version, baseUrl }: Description,
) =>
  createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Holdfast',
        version,
        description: introduction,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: baseUrl }],
      tags: [...new Set(Object.values(endpoints).map(({ tag }) => tag))].map((name) => ({ name })),
      security: [{ key: [] }],
      paths: pathsOf(endpoints),
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'holdfast_ + 44 base62 characters',
            description: 'An API key, minted with the scopes it needs.',
          },
        },
      },
    },
    { override: datesAreText },
  );

const introduction = `Verified newcomers, kept structure, members who can be called back.

Every answer carries \`X-Request-Id\` and the three \`X-RateLimit\` headers. Lists take \`page\` and
\`limit\` and answer newest first. Every POST honours \`Idempotency-Key\` for 24 hours.`;

const datesAreText: NonNullable<Parameters<typeof createDocument>[1]>['override'] = ({
  jsonSchema,
  zodSchema,
}) => {
  if (zodSchema._zod.def.type === 'date') {
    jsonSchema.type = 'string';
    jsonSchema.format = 'date-time';
  }
};

const pathsOf = (endpoints: Record<string, Endpoint>): ZodOpenApiPathsObject => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, entry] of Object.entries(endpoints)) {
    const path = `${apiPrefix}${entry.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [entry.method.toLowerCase()]: operationOf(name, entry) };
  }
  return paths;
};

const operationOf = (name: string, entry: Endpoint): ZodOpenApiOperationObject => ({
  operationId: name,
  tags: [entry.tag],
  summary: entry.summary,
  description: [entry.description, `Needs the scope \`${entry.scope}\`.`]
    .filter(Boolean)
    .join('\n\n'),
  security: [{ key: [entry.scope] }],
  requestParams: {
    ...(entry.params && { path: entry.params }),
    ...(entry.query && { query: entry.query }),
    ...(entry.method === 'POST' && { header: idempotencyHeader }),
  },
  requestBody: entry.body && {
    required: !entry.bodyOptional,
    content: { 'application/json': { schema: entry.body } },
  },
  responses: responsesOf(entry),
});

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Repeats of the same request within 24 hours get the first answer again.'),
});

const answerHeaders = z.object({
  'X-Request-Id': z.string().describe('Names this request in the log.'),
  'X-RateLimit-Limit': z.int().describe('Requests allowed in the window of 10 seconds.'),
  'X-RateLimit-Remaining': z.int().describe('Requests left in it.'),
  'X-RateLimit-Reset': z.int().describe('When the window ends, in Unix seconds.'),
});

const responsesOf = (
  entry: Endpoint,
): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> => {
  const { refusals = {} } = entry;
  const notFound = refusals[404] ?? (entry.owner && 'No such server.');
  return {
    [`${entry.status}`]: json('Success.', answerBody(entry)),
    400: json('Invalid input.', validationError),
    401: json('Missing, unknown, expired or revoked key.', generalError),
    403: forbidden(entry),
    ...(notFound && { 404: json(notFound, generalError) }),
    ...(refusals[409] && { 409: json(refusals[409], generalError) }),
    429: json(
      refusals[429] ?? 'Rate limit exceeded; wait for `Retry-After` seconds.',
      generalError,
    ),
    500: json('Unexpected failure; the log has it under the request id.', generalError),
  };
};

const forbidden = ({ refusals, feature }: Endpoint): ZodOpenApiResponseObject => {
  const reason = refusals?.[403] ?? (feature && 'The plan lacks this feature.');
  return reason
    ? json(`Missing scope. Or: ${reason}`, z.union([missingScopeError, generalError]))
    : json('Missing scope.', missingScopeError);
};

const json = (description: string, schema: z.ZodType): ZodOpenApiResponseObject => ({
  description,
  headers: answerHeaders,
  content: { 'application/json': { schema } },
});
