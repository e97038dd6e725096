import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiSchema,
} from '@holdfast/contract';
import { type Field, fieldOf, fieldsOf, resolveSchema, type Schemas } from './fields.ts';

/** One endpoint, as both the page and the Markdown file show it. */
export type Operation = {
  name: string;
  method: string;
  path: string;
  summary: string;
  paragraphs: string[];
  pathParameters: Field[];
  queryParameters: Field[];
  bodyFields: Field[];
  isBodyOptional: boolean;
  status: string;
  answer: string;
  answerFields: Field[];
  requestExample: string;
  answerExample: string;
  /** Errors of this endpoint only; the common ones are in the guide. */
  refusals: { status: string; reason: string }[];
};

export type Section = { name: string; description: string; operations: Operation[] };

/** The OpenAPI document, arranged for reading. */
export const sectionsOf = (document: OpenApiDocument): Section[] => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      // Endpoints without a key are for providers and operators, and only in the OpenAPI document.
      const isOfApi = operation?.security?.length !== 0;
      return operation && isOfApi ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );
  const sections = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations
      .filter(({ operation }) => operation.tags?.includes(name))
      .map(({ method, path, operation }) => readOperation(method, path, operation, document)),
  }));
  return sections.filter((section) => section.operations.length > 0);
};

export const baseUrlOf = ({ servers }: OpenApiDocument): string => servers?.[0]?.url ?? '';

const readOperation = (
  method: string,
  path: string,
  operation: OpenApiOperation,
  document: OpenApiDocument,
): Operation => {
  const schemas = document.components?.schemas ?? {};
  const parameters = (operation.parameters ?? []).flatMap((entry) =>
    '$ref' in entry ? [] : [entry],
  );
  const requestBody = readBody(operation);
  return {
    name: operation.operationId ?? '',
    method,
    path,
    summary: operation.summary ?? '',
    paragraphs: (operation.description ?? '').split('\n\n'),
    pathParameters: parametersIn('path', parameters, schemas),
    queryParameters: parametersIn('query', parameters, schemas),
    bodyFields: requestBody.schema ? fieldsOf(requestBody.schema, schemas) : [],
    isBodyOptional: !requestBody.isRequired,
    ...readAnswer(operation, schemas),
    requestExample: curlLine(baseUrlOf(document), method, path, parameters, requestBody),
    refusals: readRefusals(operation),
  };
};

const parametersIn = (
  location: 'path' | 'query',
  parameters: OpenApiParameter[],
  schemas: Schemas,
): Field[] =>
  parameters
    .filter((parameter) => parameter.in === location)
    .map(({ name, required = false, schema = {} }) => ({
      ...fieldOf(schema, schemas),
      name,
      isRequired: required,
    }));

const readBody = ({ requestBody }: OpenApiOperation) => {
  if (!requestBody || '$ref' in requestBody) return { isRequired: false };
  const isRequired = requestBody.required ?? false;
  const { 'multipart/form-data': form, 'application/json': json } = requestBody.content;
  if (form) return { schema: form.schema, isRequired, isForm: true };
  return { schema: json?.schema, example: json?.example, isRequired };
};

const readAnswer = ({ responses = {} }: OpenApiOperation, schemas: Schemas) => {
  const [status = '', response] =
    Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const content = response && !('$ref' in response) ? response.content : undefined;
  const { schema = {}, example } = content?.['application/json'] ?? {};
  const { properties = {} } = resolveSchema(schema, schemas).schema;
  const { schema: data } = resolveSchema(properties.data ?? {}, schemas);
  const record: OpenApiSchema = data.items ?? data;
  return {
    status,
    answer: describeAnswer(data.items !== undefined, properties.pagination !== undefined),
    // In an answer nothing is required of the client.
    answerFields: fieldsOf(record, schemas).map((field) => ({ ...field, isRequired: false })),
    answerExample: JSON.stringify(example, null, 2),
  };
};

const describeAnswer = (isList: boolean, isPaginated: boolean): string => {
  if (isPaginated) return 'a page of records under `data`, and `pagination` beside it.';
  return isList ? 'an array of records under `data`.' : 'one record under `data`.';
};

/** Errors that are references are common to all endpoints. */
const readRefusals = ({ responses = {} }: OpenApiOperation): Operation['refusals'] =>
  Object.entries(responses).flatMap(([status, response]) =>
    status.startsWith('4') && !('$ref' in response)
      ? [{ status, reason: response.description }]
      : [],
  );

const curlLine = (
  baseUrl: string,
  method: string,
  path: string,
  parameters: OpenApiParameter[],
  body: { example?: unknown; isForm?: boolean },
): string => {
  const exampleOf = (name: string) =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => exampleOf(name));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${exampleOf(name)}`)
    .join('&');
  const address = `${baseUrl}${filled}${query && `?${query}`}`;
  return [
    `curl '${address}'`,
    ...(method === 'GET' ? [] : [`  -X ${method}`]),
    `  -H "Authorization: Bearer $HOLDFAST_KEY"`,
    ...(body.isForm ? [`  -F 'file=@picture.png'`] : []),
    ...(body.example === undefined ? [] : jsonArguments(body.example)),
  ].join(' \\\n');
};

const jsonArguments = (body: unknown): string[] => {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return [`  -H 'Content-Type: application/json'`, `  -d '${json}'`];
};
