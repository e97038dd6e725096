import type { JsonSchema } from '@holdfast/sdk/catalog';
import { operationNamed } from '../operations/named.ts';
import { isRecord } from '../output/record.ts';
import { imageFields } from './document.ts';

/** What is wrong in a document, and where. */
export type Mistake = {
  path: (string | number)[];
  message: string;
  /** The key is wrong, not its value. */
  isOfKey?: boolean;
};

/** More than that nobody reads. */
const mostMistakes = 50;

/** Checks a document by the schema that the service checks it by, so that nothing is asked in vain. */
export const findMistakes = (value: unknown): Mistake[] =>
  check(operationNamed('getBackupDocument').outputSchema, value, []).slice(0, mostMistakes);

type Path = Mistake['path'];

const check = (schema: JsonSchema, value: unknown, path: Path): Mistake[] => {
  // In a file an image has the name of its own file.
  if (isImage(path)) return value === null || typeof value === 'string' ? [] : wrong(path, 'text');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return checkChoices(choices, value, path);
  if (schema.const !== undefined) {
    return value === schema.const ? [] : [{ path, message: `Must be ${schema.const}` }];
  }
  switch (schema.type) {
    case 'object':
      return isRecord(value) ? checkFields(schema, value, path) : wrong(path, 'keys with values');
    case 'array':
      return Array.isArray(value) ? checkList(schema, value, path) : wrong(path, 'a list');
    case 'string':
      return typeof value === 'string' ? checkText(schema, value, path) : wrongText(value, path);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong(path, 'true or false');
    default:
      return checkNumber(schema, value, path);
  }
};

const isImage = (path: Path): boolean => imageFields.some((field) => field === path.at(-1));

const wrong = (path: Path, expected: string): Mistake[] => [
  { path, message: `Must be ${expected}` },
];

/** YAML takes `1e3`, `yes: true` and `null` for something else than a name. */
const wrongText = (value: unknown, path: Path): Mistake[] => {
  const isPlain = typeof value !== 'object' || value === null;
  return wrong(path, `text${isPlain ? `: put ${String(value)} in quotes` : ''}`);
};

/** Which one is meant is said by `type`, or by what fits. */
const checkChoices = (choices: JsonSchema[], value: unknown, path: Path): Mistake[] => {
  const types = choices.map(({ properties }) => namesOf(properties?.type));
  const all = types.flat();
  if (all.length === 0) {
    const results = choices.map((choice) => check(choice, value, path));
    if (results.some(({ length }) => length === 0)) return [];
    return results.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  if (!isRecord(value)) return wrong(path, 'keys with values');
  const meant = choices[types.findIndex((names) => names.some((name) => name === value.type))];
  if (meant) return check(meant, value, path);
  const isMissing = value.type === undefined;
  return isMissing
    ? [{ path, message: '"type" is missing' }]
    : wrong([...path, 'type'], `one of ${all.join(', ')}`);
};

const namesOf = (schema: JsonSchema | undefined): unknown[] =>
  schema?.enum ?? (schema?.const === undefined ? [] : [schema.const]);

const checkFields = (
  { properties = {}, required = [] }: JsonSchema,
  value: Record<string, unknown>,
  path: Path,
): Mistake[] => [
  ...required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path, message: `"${name}" is missing` })),
  ...Object.entries(value).flatMap(([name, field]): Mistake[] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) return check(known, field, [...path, name]);
    return [{ path: [...path, name], message: 'There is no such key here', isOfKey: true }];
  }),
];

const checkList = (
  { items = {}, maxItems }: JsonSchema,
  value: unknown[],
  path: Path,
): Mistake[] =>
  maxItems !== undefined && value.length > maxItems
    ? [{ path, message: `Must not have more than ${maxItems} entries` }]
    : value.flatMap((entry, index) => check(items, entry, [...path, index]));

const checkText = (schema: JsonSchema, value: string, path: Path): Mistake[] => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const allowed = schema.enum;
  if (allowed && !allowed.includes(value)) return wrong(path, `one of ${allowed.join(', ')}`);
  if (value.length < minLength) return [{ path, message: 'Must not be empty' }];
  if (value.length > maxLength) {
    return [{ path, message: `Must not be longer than ${maxLength} characters` }];
  }
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    return [{ path, message: `${JSON.stringify(value)} is not of the form ${pattern}` }];
  }
  return [];
};

const checkNumber = (schema: JsonSchema, value: unknown, path: Path): Mistake[] => {
  const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const isInteger = type === 'integer';
  if (typeof value !== 'number' || !Number.isFinite(value)) return wrong(path, 'a number');
  if (isInteger && !Number.isSafeInteger(value)) return wrong(path, 'a whole number');
  if (value < minimum) return wrong(path, `at least ${minimum}`);
  return value > maximum ? wrong(path, `at most ${maximum}`) : [];
};
