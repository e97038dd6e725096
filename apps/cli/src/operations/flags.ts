import {
  type CatalogOperation,
  type Field,
  fieldsOf,
  type JsonSchema,
} from '@holdfast/sdk/catalog';
import type { OptionSpec } from '../command.ts';
import { parseJson } from './given-file.ts';

/** A field of the query or the body, given by a flag. */
export type FieldFlag = {
  field: Field;
  part: 'query' | 'body';
  /** `messagesPerChannel` is given by `--messages-per-channel`. */
  flag: string;
  /** The name under which the parser returns it. */
  attribute: string;
};

export const flagsOf = ({ query, body, upload }: CatalogOperation): FieldFlag[] => [
  ...fieldsOf(query).map((field) => flagOf('query', field)),
  // The file of an upload is an argument.
  ...fieldsOf(body)
    .filter(({ name }) => name !== upload?.field)
    .map((field) => flagOf('body', field)),
];

const flagOf = (part: FieldFlag['part'], field: Field): FieldFlag => {
  const words = kebab(field.name);
  const attribute = words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { field, part, flag: `--${words}`, attribute };
};

/** `roleId` → `role-id`, `SERVER_LOST` → `server-lost`. */
const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

export const optionsOf = ({ field, flag }: FieldFlag): OptionSpec[] => {
  const core = coreOf(field.schema);
  const description = describe(field);
  if (core.type === 'boolean') {
    const negated = flag.replace('--', '--no-');
    return [
      { flags: flag, description },
      { flags: negated, description: `the opposite of ${flag}` },
    ];
  }
  const values = valuesOf(core);
  return [
    {
      flags: `${flag} <${placeholder(field.name, core)}>`,
      description,
      ...(values && { values }),
      isRepeatable: core.type === 'array',
    },
  ];
};

const describe = ({ schema, isRequired }: Field): string => {
  const core = coreOf(schema);
  const parts = [schema.description ?? core.description ?? '', rangeOf(core)];
  if (core.default !== undefined) parts.push(`Default: ${JSON.stringify(core.default)}.`);
  if (isNullable(schema)) parts.push('`null` removes it.');
  if (isRequired) parts.push('Required.');
  return parts.filter(Boolean).join(' ');
};

const rangeOf = (core: JsonSchema): string => {
  if (core.type === 'object') return `JSON, such as ${JSON.stringify(core.example ?? {})}.`;
  const choices = valuesOf(core);
  if (choices) return `One${core.type === 'array' ? ' or more' : ''} of ${choices.join(', ')}.`;
  const { minimum, maximum } = core;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}.`;
  return '';
};

const valuesOf = (core: JsonSchema): string[] | undefined =>
  (core.enum ?? core.items?.enum)?.filter((value) => typeof value === 'string');

const placeholder = (name: string, core: JsonSchema): string => {
  if (/serverId$/i.test(name)) return 'server';
  if (core.type === 'integer' || core.type === 'number') return 'number';
  if (core.type === 'object') return 'json';
  if (core.type === 'array') return 'list';
  if (core.format === 'date-time') return 'time';
  if (core.format === 'uuid' || core.format === 'platform-id') return 'id';
  return core.enum ? 'choice' : 'text';
};

/** The schema of a value that is not null. */
export const coreOf = (schema: JsonSchema): JsonSchema => {
  const choices = schema.anyOf ?? schema.oneOf;
  const [core, ...others] = choices?.filter(({ type }) => type !== 'null') ?? [];
  if (core === undefined || others.length > 0) return { ...schema, type: plainType(schema.type) };
  return { ...core, type: plainType(core.type) };
};

const plainType = (type: JsonSchema['type']): string | undefined =>
  Array.isArray(type) ? type.find((name) => name !== 'null') : type;

const isNullable = ({ type, anyOf, oneOf }: JsonSchema): boolean =>
  (Array.isArray(type) && type.includes('null')) ||
  [...(anyOf ?? []), ...(oneOf ?? [])].some((choice) => choice.type === 'null');

/**
 * The value that a text stands for. What does not look like one is sent as it is: the service knows
 * what is wrong with it.
 */
export const valueFrom = (schema: JsonSchema, text: string, flag: string): unknown => {
  if (text === 'null' && isNullable(schema)) return null;
  const core = coreOf(schema);
  if (core.type === 'integer' || core.type === 'number') {
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  }
  if (core.type === 'object') return parseJson(text, flag);
  if (core.type === 'array' && text.trimStart().startsWith('[')) return parseJson(text, flag);
  const items = core.items;
  if (core.type === 'array' && items) {
    return text.split(',').map((part) => valueFrom(items, part.trim(), flag));
  }
  return enumValue(core, text);
};

/** `repair` stands for `REPAIR`. */
const enumValue = (core: JsonSchema, text: string): string =>
  valuesOf(core)?.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text;
