import type { Endpoint, ValidationDetails } from '@holdfast/contract';
import { z } from 'zod';
import { invalid } from '../kernel/errors.ts';
import { isCleanText, uncleanFields, uncleanMessage } from './clean-text.ts';

export type RawInput = {
  params: Record<string, string>;
  /** The query as it was sent, with its `?`, or empty. */
  query: string;
  body: object | undefined;
};

export type Input = { params: unknown; query: unknown; body: unknown };

type FieldErrors = ValidationDetails['fieldErrors'];

/** Parses path, query and body, and names every mistake in all three at once. */
export const parseInput = (entry: Endpoint, raw: RawInput): Input => {
  const problems: ValidationDetails[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined;
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    problems.push(z.flattenError(result.error));
    return undefined;
  };

  const { values, fieldErrors } = decodeQuery(raw.query);
  for (const field of uncleanFields(raw.body ?? {})) fieldErrors[field] = [uncleanMessage];
  if (Object.keys(fieldErrors).length > 0) problems.push({ fieldErrors, formErrors: [] });

  const input = {
    params: parse(entry.params, raw.params),
    query: parse(entry.query, values),
    body: parseBody(entry, raw.body, parse),
  };
  if (problems.length > 0) throw invalid(merge(problems));
  return input;
};

const parseBody = (
  entry: Endpoint,
  body: object | undefined,
  parse: (schema: z.ZodType | undefined, value: unknown) => unknown,
): unknown => {
  if (entry.body && body === undefined && !entry.bodyOptional) {
    throw invalid({ formErrors: ['Send a JSON object as the body'] });
  }
  return parse(entry.body, body ?? {});
};

const decodeQuery = (query: string) => {
  // Without a prototype: a parameter may be called `__proto__`.
  const values: Record<string, string> = Object.create(null);
  const fieldErrors: FieldErrors = Object.create(null);
  for (const pair of query.slice(1).split('&').filter(Boolean)) {
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

/** Undefined for what is not UTF-8: lone surrogates come percent-encoded like this. */
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
