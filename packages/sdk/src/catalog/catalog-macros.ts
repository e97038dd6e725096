/**
 * The operations as text, read from the contract when this package is bundled or loaded: neither the
 * contract nor zod is part of a program that uses the catalog.
 */
import {
  apiPrefix,
  type Endpoint,
  effectOf,
  endpoints,
  isGuarded,
  isIdempotent,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  openApiDocument,
} from '@holdfast/contract';
import { commandOf, resourcesOf } from './command.ts';
import type { CatalogOperation, JobKind, JsonSchema } from './operation.ts';

/** Text, because parsing JSON is quicker than evaluating a literal of this size. */
export const readCatalog = (): string => {
  const document = openApiDocument(endpoints, { version: '', baseUrl: '' });
  const entries: [string, Endpoint][] = Object.entries(endpoints);
  const resources = resourcesOf(entries.map(([, { path }]) => path));
  return JSON.stringify(
    entries.map(([name, entry]) => ({
      name,
      command: commandOf(name, entry.path, resources),
      ...factsOf(entry),
      ...schemasOf(entry, document),
    })),
  );
};

type Facts = Omit<CatalogOperation, 'name' | 'command' | keyof ReturnType<typeof schemasOf>>;

const factsOf = (entry: Endpoint): Facts => {
  const { tag, summary, description, method, path, scope, feature, upload, status } = entry;
  const effect = effectOf(entry);
  return {
    ...{ tag, summary, description, method, path, scope, feature, upload, status },
    isBodyOptional: entry.bodyOptional === true,
    isPaginated: entry.paginated === true,
    isReadOnly: effect === 'reads',
    isDestructive: effect === 'destroys',
    isGuarded: isGuarded(entry),
    showsSecret: entry.showsSecret === true,
    isIdempotent: isIdempotent(entry),
    startsJob: entry.status === 202 ? jobKinds[entry.data.meta()?.id ?? ''] : undefined,
    refusals: { ...entry.refusals },
  };
};

/** By the name of the record's schema. */
const jobKinds: Record<string, JobKind> = { Backup: 'backup', Restore: 'restore', Pull: 'pull' };

const schemasOf = (entry: Endpoint, document: OpenApiDocument) => {
  const resolve = resolverOf(document);
  const { parameters = [], requestBody, responses } = operationOf(entry, document);
  const inPart = (part: string) => objectOf(parameters.filter(isParameterIn(part)), resolve);
  const body = contentOf(requestBody);
  const output = contentOf(responses?.[entry.status]);
  const { data = {}, pagination = {} } = resolve(output?.schema).properties ?? {};
  return {
    params: inPart('path'),
    query: inPart('query'),
    body: body && resolve(body.schema),
    bodyExample: body?.example,
    outputSchema: entry.paginated
      ? { type: 'object', properties: { data, pagination }, required: ['data', 'pagination'] }
      : data,
  };
};

const operationOf = (
  { method, path }: Endpoint,
  { paths = {} }: OpenApiDocument,
): OpenApiOperation => {
  const item = paths[`${apiPrefix}${path.replace(/:(\w+)/g, '{$1}')}`];
  const byMethod = { GET: item?.get, POST: item?.post, PUT: item?.put, DELETE: item?.delete };
  const operation = byMethod[method];
  if (!operation) throw new Error(`The document lacks ${method} ${path}`);
  return operation;
};

const isParameterIn =
  (part: string) =>
  (parameter: object): parameter is OpenApiParameter =>
    'in' in parameter && parameter.in === part;

/** The parameters of one part as the schema of an object. */
const objectOf = (
  parameters: OpenApiParameter[],
  resolve: (schema: unknown) => JsonSchema,
): JsonSchema | undefined =>
  parameters.length === 0
    ? undefined
    : {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map(({ name, schema }) => [name, resolve(schema)]),
        ),
        required: parameters.filter(({ required }) => required).map(({ name }) => name),
      };

type Content = { schema?: unknown; example?: unknown };

const contentOf = (holder: unknown): Content | undefined => {
  if (!isRecord(holder) || !isRecord(holder.content)) return undefined;
  const [content] = Object.values(holder.content);
  return isRecord(content) ? content : undefined;
};

/** Puts the named schemas in the place of their references. */
const resolverOf = ({ components }: OpenApiDocument): ((schema: unknown) => JsonSchema) => {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (!isRecord(value)) return value;
    const { $ref, ...own } = value;
    const named = typeof $ref === 'string' ? components?.schemas?.[lastPart($ref)] : undefined;
    const fields = { ...(named && Object(inline(named))), ...own };
    return Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, inline(inner)]));
  };
  // The document consists of JSON schemas, of which `JsonSchema` names the keywords in use.
  return (schema) => inline(schema ?? {}) as JsonSchema;
};

const lastPart = (reference: string): string => reference.split('/').at(-1) ?? '';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
