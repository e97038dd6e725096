import type { OpenApiSchema } from '@holdfast/contract';

/** One line of a table of fields. Text in backticks is code. */
export type Field = {
  name: string;
  type: string;
  isRequired: boolean;
  /** The constraints of the value, as text. */
  limits: string[];
  description: string;
};

export type Schemas = Record<string, OpenApiSchema>;
type Plain = Exclude<OpenApiSchema, { $ref: string }>;
type Resolved = { schema: Plain; isNullable: boolean };

const longestEnum = 12;

/** All fields of an object; those of nested objects with a dotted name. */
export const fieldsOf = (schema: OpenApiSchema, schemas: Schemas, prefix = ''): Field[] => {
  const { schema: plain } = resolveSchema(schema, schemas);
  const required = new Set(plain.required);
  return Object.entries(plain.properties ?? {}).flatMap(([name, inner]) => [
    { ...fieldOf(inner, schemas), name: prefix + name, isRequired: required.has(name) },
    ...nestedFields(inner, schemas, prefix + name),
  ]);
};

/** A value without a name, such as that of a parameter. */
export const fieldOf = (schema: OpenApiSchema, schemas: Schemas): Omit<Field, 'name'> => {
  const { schema: plain } = resolveSchema(schema, schemas);
  const outer = '$ref' in schema ? undefined : schema.description;
  return {
    type: typeOf(schema, schemas),
    isRequired: false,
    limits: limitsOf(plain, schemas),
    description: outer ?? plain.description ?? '',
  };
};

/** Follows references and unwraps `or null`. */
export const resolveSchema = (schema: OpenApiSchema, schemas: Schemas): Resolved => {
  if ('$ref' in schema) {
    const target = schemas[schema.$ref?.split('/').at(-1) ?? ''];
    return target ? resolveSchema(target, schemas) : { schema: {}, isNullable: false };
  }
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  const real = choices.filter((choice) => '$ref' in choice || choice.type !== 'null');
  const [only] = real;
  if (only && real.length === 1) {
    return { schema: resolveSchema(only, schemas).schema, isNullable: choices.length > 1 };
  }
  return { schema, isNullable: Array.isArray(schema.type) && schema.type.includes('null') };
};

const nestedFields = (schema: OpenApiSchema, schemas: Schemas, name: string): Field[] => {
  const { schema: plain } = resolveSchema(schema, schemas);
  return plain.items && !Array.isArray(plain.items)
    ? fieldsOf(plain.items, schemas, `${name}[].`)
    : fieldsOf(plain, schemas, `${name}.`);
};

const formatLabels: Record<string, string> = {
  uuid: 'UUID',
  uri: 'URL',
  'date-time': 'time',
  'platform-id': 'platform id',
  binary: 'file',
};

const typeOf = (schema: OpenApiSchema, schemas: Schemas): string => {
  const { schema: plain, isNullable } = resolveSchema(schema, schemas);
  return isNullable ? `${typeLabel(plain, schemas)} or null` : typeLabel(plain, schemas);
};

const typeLabel = (schema: Plain, schemas: Schemas): string => {
  if (schema.format && formatLabels[schema.format]) return String(formatLabels[schema.format]);
  if (isLongEnum(schema)) return 'scope';
  const type = [schema.type].flat().find((word) => word !== 'null');
  if (type === 'array' && schema.items) return `array of ${plural(typeOf(schema.items, schemas))}`;
  return type ?? choicesOf(schema, schemas) ?? 'any value';
};

const choicesOf = ({ anyOf, oneOf }: Plain, schemas: Schemas): string | undefined => {
  const words = new Set((anyOf ?? oneOf ?? []).map((choice) => typeOf(choice, schemas)));
  return words.size > 0 ? [...words].join(' or ') : undefined;
};

const plural = (word: string): string => `${word.replace(/ or null$/, '')}s`;

/** Only the list of scopes is long; it is in the guide. */
const isLongEnum = ({ enum: values }: Plain): boolean => (values?.length ?? 0) > longestEnum;

const limitsOf = (schema: Plain, schemas: Schemas): string[] => {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const items = schema.items ? limitsOf(resolveSchema(schema.items, schemas).schema, schemas) : [];
  return [
    isLongEnum(schema) ? undefined : schema.enum?.map((value) => `\`${value}\``).join(', '),
    schema.const === undefined ? undefined : `always \`${schema.const}\``,
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' entries'),
    schema.pattern && !schema.format ? `matches \`${schema.pattern}\`` : undefined,
    schema.default === undefined ? undefined : `default \`${schema.default}\``,
    ...items,
  ].filter((limit) => limit !== undefined && limit !== '') as string[];
};

const range = (min: number | undefined, max: number | undefined, unit: string) => {
  if (max !== undefined) return min ? `${min}–${max}${unit}` : `at most ${max}${unit}`;
  return min ? `${min} or more${unit}` : undefined;
};
