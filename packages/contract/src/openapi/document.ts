import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Endpoint } from '../endpoint.ts';
import { apiPrefix } from '../endpoint.ts';
import { addExamples } from './examples.ts';
import { responsesOf } from './responses.ts';
import { servicePaths } from './service-paths.ts';
import { tagDescriptions } from './tags.ts';

type DocumentOptions = {
  version: string;
  baseUrl: string;
  /** The provider's name in the path of its webhook. */
  cryptoProvider?: string;
};

export type OpenApiDocument = oas31.OpenAPIObject;
export type OpenApiOperation = oas31.OperationObject;
export type OpenApiParameter = oas31.ParameterObject;
export type OpenApiSchema = oas31.SchemaObject | oas31.ReferenceObject;

/** The contract as an OpenAPI 3.1 document. */
export const openApiDocument = (
  endpoints: Record<string, Endpoint>,
  { version, baseUrl, cryptoProvider = 'oxapay' }: DocumentOptions,
): OpenApiDocument =>
  addExamples(
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
        tags: tagsOf(endpoints),
        security: [{ key: [] }],
        paths: { ...pathsOf(endpoints), ...servicePaths(cryptoProvider) },
        components: { securitySchemes: { key: keyScheme } },
      },
      { override: simplify },
    ),
  );

const introduction = `Keeps communities alive: verified newcomers, test-restored backups, members who can be pulled back.

Every response has \`X-Request-Id\` and the three \`X-RateLimit\` headers. Lists take \`page\` and
\`limit\` and return the newest first. Every POST supports \`Idempotency-Key\` for 24 hours.`;

const keyScheme: oas31.SecuritySchemeObject = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'holdfast_ + 44 base62 characters',
  description: 'An API key with the scopes that it needs.',
};

const serviceTags = ['Webhooks', 'Health'];

/** Tags with a description come first, in that order. */
const tagsOf = (endpoints: Record<string, Endpoint>): oas31.TagObject[] => {
  const used = new Set(Object.values(endpoints).map(({ tag }) => tag));
  for (const name of serviceTags) used.add(name);
  const described = Object.keys(tagDescriptions).filter((name) => used.has(name));
  return [...new Set([...described, ...used])].map((name) => ({
    name,
    description: tagDescriptions[name],
  }));
};

/** Dates are text; a format needs no pattern, and an integer no limits of the number type. */
const simplify: ZodOpenApiOverride = ({ jsonSchema, zodSchema }) => {
  if (zodSchema._zod.def.type === 'date') {
    jsonSchema.type = 'string';
    jsonSchema.format = 'date-time';
  }
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
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
    content: {
      [entry.upload ? 'multipart/form-data' : 'application/json']: { schema: entry.body },
    },
  },
  responses: responsesOf(entry),
});

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description: 'A repeat of the same request within 24 hours gets the first response again.',
      example: 'f1b7c2d0-once',
      param: { id: 'IdempotencyKey' },
    }),
});
