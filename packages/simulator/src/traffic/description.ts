import { z } from 'zod';

const content = z.record(z.string(), z.object({ schema: z.unknown() })).default({});
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  schema: z.record(z.string(), z.unknown()).default({}),
});
const operation = z.object({
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content, required: z.boolean().default(false) }).optional(),
  responses: z.record(z.string(), z.object({ $ref: z.string().optional(), content })).default({}),
});
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const pathItem = z.object({
  parameters: z.array(parameter).default([]),
  ...Object.fromEntries(methods.map((method) => [method, operation.optional()])),
});
const descriptionSchema = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  paths: z.record(z.string(), pathItem),
});

type Operation = z.output<typeof operation>;

/** What the platform says of a request: the operation, where it stands in the description, its parameters. */
export type DescribedOperation = {
  operation: Operation;
  pointer: string;
  queryParameters: z.output<typeof parameter>[];
};

export type Description = {
  document: Record<string, unknown>;
  find(method: string, path: string): DescribedOperation | undefined;
};

/** Reads an OpenAPI description of the platform from a file or an address. */
export const readDescription = async (source: string): Promise<Description> => {
  const text = /^https?:/.test(source)
    ? await (await fetch(source)).text()
    : await Bun.file(source).text();
  const document = withAnyOf(JSON.parse(text));
  const { paths } = descriptionSchema.parse(document);
  const templates = Object.keys(paths)
    .map((template) => ({ template, pattern: patternOf(template) }))
    // A word of the path goes before an id, such as "@me".
    .sort((a, b) => countIds(a.template) - countIds(b.template));

  const find = (method: string, path: string): DescribedOperation | undefined => {
    const name = method.toLowerCase();
    for (const { template, pattern } of templates) {
      const item = pattern.test(path) ? paths[template] : undefined;
      const found = operation.optional().parse(Object(item)[name]);
      if (!item || !found) continue;
      return {
        operation: found,
        pointer: pointerTo('paths', template, name),
        queryParameters: [...item.parameters, ...found.parameters].filter(
          (one) => one.in === 'query',
        ),
      };
    }
    return undefined;
  };
  return { document, find };
};

export const pointerTo = (...parts: string[]): string =>
  parts
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');

const patternOf = (template: string): RegExp => {
  const parts = template.split('/').map((part) => part.replace(/\{\w+\}/g, '[^/]+'));
  return new RegExp(`^${parts.join('/')}$`);
};

const countIds = (template: string): number => template.split('{').length;

/**
 * Alternatives of the description overlap, since none forbids further fields: an object may fit several
 * of them, which `oneOf` would not allow.
 */
const withAnyOf = (value: unknown): Record<string, unknown> => {
  const rename = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rename);
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([key, child]) => [
      key === 'oneOf' ? 'anyOf' : key,
      rename(child),
    ]);
    return Object.fromEntries(entries);
  };
  return z.record(z.string(), z.unknown()).parse(rename(value));
};
