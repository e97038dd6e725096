import type { Endpoint, ValidationDetails } from '@holdfast/contract';
import type { HonoRequest } from 'hono';
import { z } from 'zod';
import { invalid } from '../../kernel/errors.ts';
import { bodyBounds, largeBodyBounds } from '../../kernel/json-bounds.ts';
import { walkPlainData } from '../../kernel/plain-data.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { readJsonObject } from './read-body.ts';
import { hashUpload, readUpload } from './read-upload.ts';

/** A request, read and parsed by the schemas of its endpoint. */
export type Input = {
  params: unknown;
  query: unknown;
  body: unknown;
  /** What tells this body from another: itself, or the hash of its file. */
  bodyIdentity: unknown;
  idempotencyKey: string | undefined;
};

/** Reads path, query and body, and reports every mistake in all three at once. */
export const readInput = async (entry: Endpoint, request: HonoRequest): Promise<Input> => {
  const rawBody = await readBody(entry, request.raw);
  const problems: ValidationDetails[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    problems.push(z.flattenError(result.error));
    return undefined;
  };

  const { values, fieldErrors } = decodeQuery(queryOf(request.url));
  for (const field of uncleanFields(rawBody ?? {})) fieldErrors[field] = [uncleanMessage];
  if (Object.keys(fieldErrors).length > 0) problems.push({ fieldErrors, formErrors: [] });

  const params = parse(entry.params, request.param());
  const query = parse(entry.query, values);
  if (entry.body && rawBody === undefined && !entry.bodyOptional) {
    throw invalid({ formErrors: ['Send a JSON object as the body'] });
  }
  const body = parse(entry.body, rawBody ?? {});
  if (problems.length > 0) throw invalid(merge(problems));
  const idempotencyKey =
    entry.method === 'POST'
      ? readIdempotencyKey(request.raw.headers.get('idempotency-key'))
      : undefined;
  const bodyIdentity = entry.upload ? await hashUpload(rawBody) : body;
  return { params, query, body, bodyIdentity, idempotencyKey };
};

const readBody = async (
  { upload, body, holdsDocument }: Endpoint,
  request: Request,
): Promise<object | undefined> => {
  if (upload) return readUpload(request, upload);
  if (!body) return undefined;
  return readJsonObject(request, holdsDocument ? largeBodyBounds : bodyBounds);
};

const queryOf = (url: string): string => {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return url.slice(start + 1, end < 0 ? undefined : end);
};

/** Also of a form, which is encoded in the same way. */
export const decodeQuery = (query: string) => {
  // Without a prototype: a parameter may be called `__proto__`.
  const values: Record<string, string> = Object.create(null);
  const fieldErrors: ValidationDetails['fieldErrors'] = Object.create(null);
  for (const pair of query.split('&').filter(Boolean)) {
    const [name, value] = decodePair(pair);
    if (name === undefined || value === undefined || !isCleanText(name + value)) {
      fieldErrors[name ?? pair.slice(0, 100)] = [uncleanMessage];
    } else if (Object.hasOwn(values, name)) fieldErrors[name] = ['Must be given only once'];
    else values[name] = value;
  }
  return { values, fieldErrors };
};

const decodePair = (pair: string): [string?, string?] => {
  const at = pair.indexOf('=');
  const name = at < 0 ? pair : pair.slice(0, at);
  return [decode(name), decode(at < 0 ? '' : pair.slice(at + 1))];
};

/** Undefined for what is not UTF-8, such as percent-encoded lone surrogates. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

const merge = (problems: ValidationDetails[]): ValidationDetails => ({
  fieldErrors: Object.assign(
    Object.create(null),
    ...problems.map(({ fieldErrors }) => fieldErrors),
  ),
  formErrors: problems.flatMap(({ formErrors }) => formErrors),
});

/** NUL and lone surrogates cannot be stored in a text column, nor shown on a page. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

const uncleanMessage = 'Must not contain NUL or lone surrogates';

/** The top-level fields of a JSON object that hold such text, at any depth. */
const uncleanFields = (body: object): string[] =>
  Object.entries(body)
    .filter(([field, value]) => !isCleanText(field) || holdsUncleanText(value))
    .map(([field]) => field);

/** In a text or a key, at any depth. */
export const holdsUncleanText = (root: unknown): boolean => {
  let isClean = true;
  walkPlainData(root, (value, key) => {
    isClean &&= isCleanText(key) && (typeof value !== 'string' || isCleanText(value));
    return isClean;
  });
  return !isClean;
};
