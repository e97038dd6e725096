import type { Holdfast } from '@holdfast/sdk';
import { type CatalogOperation, catalog, fieldsOf, type JsonSchema } from '@holdfast/sdk/catalog';
import { Refusal } from './answer.ts';

/** What an operation is called with. */
export type CallInput = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: Record<string, unknown>;
};

export type OperationCall = CallInput & { operation: string };

const byName = new Map<string, CatalogOperation>(
  catalog.map((operation) => [operation.name, operation]),
);

export const operationOf = (name: string): CatalogOperation => {
  const operation = byName.get(name);
  if (operation) return operation;
  throw new Refusal('invalidCall', 'There is no such operation: look for it with find_operation.');
};

/** Those that have every word of the query, the best matches first. */
export const findOperations = (query: string): CatalogOperation[] => {
  const words = query.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return catalog
    .map((operation) => ({ operation, score: scoreOf(operation, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ operation }) => operation);
};

/** A word in the name says more than one in the description; an operation that lacks a word says less. */
const scoreOf = (
  { name, tag, command, summary, description = '', scope, path }: CatalogOperation,
  words: string[],
): number => {
  const title = `${name} ${command.join(' ')} ${tag} ${summary}`.toLowerCase();
  const rest = `${description} ${scope} ${path}`.toLowerCase();
  const scores = words.map((word) => {
    const stem = word.replace(/(?:ies|s|ing|ed)$/, '');
    if (title.includes(word)) return 4;
    if (title.includes(stem)) return 3;
    return rest.includes(stem) ? 1 : 0;
  });
  return scores.reduce<number>((sum, score) => sum + score, 0);
};

/**
 * Calls any operation. The API checks the values; what the client would drop or misread is refused here:
 * parts and parameters that the operation does not have, and ids that are missing or are none.
 */
export const callOperation = (
  holdfast: Holdfast,
  { operation: name, ...input }: OperationCall,
  options: { idempotencyKey?: string; signal?: AbortSignal } = {},
): Promise<unknown> => {
  const operation = operationOf(name);
  requireCallable(operation, input);
  // The catalog has the names of the client's methods, and the API checks what they are given.
  const call = holdfast[operation.name] as (call: object) => Promise<unknown>;
  return call({ ...input, ...options });
};

/** Refuses a call that could not be made, naming what is wrong with it. */
export const requireCallable = (operation: CatalogOperation, input: CallInput): void => {
  if (operation.upload) {
    throw new Refusal('invalidCall', 'This operation takes a file, which tools cannot send.');
  }
  const mistakes = (['params', 'query', 'body'] as const).flatMap((part) =>
    mistakesIn(operation, part, input),
  );
  if (mistakes.length === 0) return;
  throw new Refusal(
    'invalidCall',
    `Read its schema with describe_operation. ${mistakes.join('. ')}.`,
  );
};

const mistakesIn = (
  operation: CatalogOperation,
  part: 'params' | 'query' | 'body',
  input: CallInput,
): string[] => {
  const given = Object.keys(input[part] ?? {});
  const fields = fieldsOf(operation[part]);
  const known = fields.map(({ name }) => name);
  const wrong = fields
    .filter(({ name, schema }) => given.includes(name) && !couldBe(schema, input[part]?.[name]))
    .map(({ name }) => `${part}.${name} must be an id (a UUID)`);
  if (part === 'body') {
    return given.length > 0 && !operation.body ? ['It takes no body'] : wrong;
  }
  const missing = fields.filter(({ name, isRequired }) => isRequired && !given.includes(name));
  const unknown = given.filter((name) => !known.includes(name));
  return [
    ...missing.map(({ name }) => `${part}.${name} is missing`),
    ...wrong,
    ...(unknown.length > 0 ? [`${part} can have only: ${known.join(', ') || 'nothing'}`] : []),
  ];
};

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * An id becomes part of a path, also that of a server which a body names, where another text would address
 * something else. Whether a value that is no text is allowed the API knows.
 */
const couldBe = ({ format }: JsonSchema, value: unknown): boolean =>
  format !== 'uuid' || typeof value !== 'string' || isUuid.test(value);
