import type { oas31 } from 'zod-openapi';

type Schema = oas31.SchemaObject | oas31.ReferenceObject;
type Schemas = Record<string, Schema>;

/** `resource` distinguishes the ids of different kinds of records. */
type ExampleContext = { schemas: Schemas; resource: string };

/** Adds an example to every path parameter, request body and response, from the examples of the fields. */
export const addExamples = (document: oas31.OpenAPIObject): oas31.OpenAPIObject => {
  const schemas = document.components?.schemas ?? {};
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const operation of [item.get, item.post, item.put, item.delete]) {
      if (operation) addOperationExamples(path, operation, schemas);
    }
  }
  return document;
};

const addOperationExamples = (
  path: string,
  operation: oas31.OperationObject,
  schemas: Schemas,
): void => {
  const parameters = (operation.parameters ?? []).flatMap((entry) =>
    '$ref' in entry ? [] : [entry],
  );
  const named = parameters.find(({ in: place, name }) => place === 'query' && name.endsWith('Id'));
  const resource = named ? lastWord(named.name) : resourceOf(path);

  for (const parameter of parameters) {
    if (!parameter.required || !parameter.schema) continue;
    const owner = parameter.name === 'id' ? resourceBefore(path, '{id}') : lastWord(parameter.name);
    parameter.example = exampleOf(parameter.schema, { schemas, resource: owner });
  }
  const body = operation.requestBody;
  if (body && !('$ref' in body)) addContentExample(body.content, { schemas, resource });
  for (const response of Object.values(operation.responses ?? {})) {
    if (!('$ref' in response)) addContentExample(response.content, { schemas, resource });
  }
};

const addContentExample = (
  content: oas31.ContentObject | undefined,
  context: ExampleContext,
): void => {
  const json = content?.['application/json'];
  if (json?.schema && json.example === undefined) json.example = exampleOf(json.schema, context);
};

const exampleOf = (schema: Schema, context: ExampleContext, name = 'id'): unknown => {
  if ('$ref' in schema) {
    const target = context.schemas[String(schema.$ref).split('/').at(-1) ?? ''];
    return target ? exampleOf(target, context, name) : null;
  }
  if (schema.format === 'uuid') return uuidOf(name === 'id' ? context.resource : lastWord(name));
  const given = [schema.example, schema.const, schema.default, schema.enum?.[0]];
  const example = given.find((value) => value !== undefined);
  if (example !== undefined) return example;
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  return choice ? exampleOf(choice, context, name) : exampleOfType(schema, context, name);
};

const exampleOfType = (
  schema: oas31.SchemaObject,
  context: ExampleContext,
  name: string,
): unknown => {
  const type = Array.isArray(schema.type)
    ? schema.type.find((entry) => entry !== 'null')
    : schema.type;
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(
      fields.map(([field, inner]) => [field, exampleOf(inner, context, field)]),
    );
  }
  if (type === 'array') return schema.items ? [exampleOf(schema.items, context, name)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  return type === 'string' ? exampleText(schema) : null;
};

const exampleText = ({ format, minLength = 0, maxLength }: oas31.SchemaObject): string => {
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  if (format === 'uri') return 'https://example.com';
  return 'text'.padEnd(minLength, '.').slice(0, maxLength);
};

/** The same word gives the same id, so that the examples of one record are consistent. */
const uuidOf = (word: string): string => {
  let hash = 0xcbf29ce484222325n;
  for (const character of word.toLowerCase()) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.charCodeAt(0))) * 0x100000001b3n);
  }
  return `0191d3a0-5b7e-7c3a-9b1e-${hash.toString(16).padStart(16, '0').slice(-12)}`;
};

/** `customBotId` → `Bot`. */
const lastWord = (name: string): string =>
  name.replace(/Ids?$/, '').match(/[A-Z]?[a-z]+$/)?.[0] ?? name;

/** `/api/v1/servers/{id}` → `server`. */
const resourceOf = (path: string): string =>
  singular(path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '');

const resourceBefore = (path: string, parameter: string): string => {
  const parts = path.split('/');
  return singular(parts[parts.indexOf(parameter) - 1] ?? '');
};

const singular = (word: string): string => word.replace(/s$/, '');
