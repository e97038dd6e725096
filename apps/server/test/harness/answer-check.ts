import type { OpenApiDocument, OpenApiOperation } from '@holdfast/contract';
import { z } from 'zod';

type Answer = { status: number; headers: Headers; text: string; body: unknown };
export type AnswerCheck = (method: string, path: string, answer: Answer) => void;

/** Global, because Bun may load the modules again for each test file. */
const shared = globalThis as { holdfastAnswerCheck?: Promise<AnswerCheck> };

/** The check of the document that the first service serves: all others run the same code. */
export const sharedAnswerCheck = (readServed: () => Promise<string>): Promise<AnswerCheck> => {
  shared.holdfastAnswerCheck ??= readServed().then((text) => createAnswerCheck(JSON.parse(text)));
  return shared.holdfastAnswerCheck;
};

type Described = { template: RegExp; operations: Map<string, OpenApiOperation> };

/**
 * Holds answers against an OpenAPI document: of what it describes, every status must be described and
 * every body must fit. What it does not describe, such as pages and paths that do not exist, passes.
 */
export const createAnswerCheck = (document: OpenApiDocument): AnswerCheck => {
  const described = describedPaths(document);
  const schemas = new Map<object, z.ZodType>();
  const definitions = asDefinitions(document.components?.schemas ?? {});
  const schemaOf = (schema: object): z.ZodType => {
    const known =
      schemas.get(schema) ?? z.fromJSONSchema({ ...asDefinitions(schema), $defs: definitions });
    schemas.set(schema, known);
    return known;
  };

  return (method, path, answer) => {
    const [pathname = ''] = path.split('?');
    const operation = described
      .find(({ template }) => template.test(pathname))
      ?.operations.get(method === 'HEAD' ? 'get' : method.toLowerCase());
    if (!operation) return;
    const about = `${method} ${pathname} answered ${answer.status}`;
    const response = resolve(operation.responses?.[`${answer.status}` as '200'], document);
    if (!response) throw new Error(`${about}, which /openapi.json does not describe`);
    const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
    if (method === 'HEAD' || answer.text === '') return;
    const schema = response.content?.[type]?.schema;
    if (!schema) throw new Error(`${about} as ${type}, which /openapi.json does not describe`);
    const isJson = type === 'application/json';
    const { error } = schemaOf(schema).safeParse(isJson ? answer.body : answer.text);
    if (error) {
      const wrong = z.prettifyError(error);
      throw new Error(`${about} with a body that /openapi.json does not describe: ${wrong}`);
    }
  };
};

/** Fixed segments before parameters, so that `/keys/own` is never taken for `/keys/{id}`. */
const describedPaths = ({ paths = {} }: OpenApiDocument): Described[] =>
  Object.entries(paths)
    .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
    .map(([path, item]) => ({
      template: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      operations: new Map(
        (['get', 'post', 'put', 'delete'] as const).flatMap((method) =>
          item[method] ? [[method, item[method]] as const] : [],
        ),
      ),
    }));

type Responses = NonNullable<OpenApiOperation['responses']>;

const resolve = (response: Responses['200'] | undefined, { components }: OpenApiDocument) => {
  if (!response || !('$ref' in response)) return response;
  const shared = components?.responses?.[response.$ref?.split('/').at(-1) ?? ''];
  return shared && '$ref' in shared ? undefined : shared;
};

/** JSON Schema knows no `components`: what a schema refers to goes along as its definitions. */
const asDefinitions = (schema: object) =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'));
