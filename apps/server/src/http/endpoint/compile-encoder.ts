import { z } from 'zod';

type EncodeValue = (value: unknown) => unknown;

/**
 * Compiles an answer's schema to a function that copies the fields the schema names, with each time as
 * text. It is `z.encode` without the validation of our own rows, which costs more than the query behind
 * it; the tests validate every answer against its schema.
 */
export const compileEncoder = (schema: z.core.$ZodType): EncodeValue => {
  if (schema instanceof z.ZodObject) return encodeObject(schema);
  if (schema instanceof z.ZodArray) {
    const encodeElement = compileEncoder(schema.element);
    return (list) => asArray(list).map(encodeElement);
  }
  if (schema instanceof z.ZodNullable) {
    const encodeInner = compileEncoder(schema.unwrap());
    return (value) => (value === null ? null : encodeInner(value));
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return encodeUnion(schema);
  if (schema instanceof z.ZodCodec && schema.out instanceof z.ZodDate) return encodeTime;
  return asItIs;
};

const asItIs: EncodeValue = (value) => value;

/**
 * The copy is one object literal, written as code from the names of the contract: that takes half the time
 * of setting its fields one by one. A field that is undefined has no place in JSON.
 */
const encodeObject = (schema: z.ZodObject): EncodeValue => {
  const fields = Object.entries(schema.shape).map(([field, type], at) => ({
    name: JSON.stringify(field),
    cell: `cell${at}`,
    at,
    isOptional: type instanceof z.ZodOptional,
    encode: compileEncoder(type instanceof z.ZodOptional ? type.unwrap() : type),
  }));
  const reads = fields.map(({ name, cell, isOptional }) => {
    const read = `const ${cell} = row[${name}];`;
    return isOptional ? read : `${read} if (${cell} === undefined) throwLacking(${name});`;
  });
  const writes = fields.map(({ name, cell, at, encode, isOptional }) => {
    if (encode === asItIs) return `${name}: ${cell}`;
    const encoded = `encoders[${at}](${cell})`;
    return `${name}: ${isOptional ? `${cell} === undefined ? undefined : ${encoded}` : encoded}`;
  });
  const code = `return (row) => { ${reads.join(' ')} return { ${writes.join(', ')} }; }`;
  const copy = new Function('encoders', 'throwLacking', code)(
    fields.map(({ encode }) => encode),
    throwLacking,
  );
  return (value) => copy(asRecord(value));
};

const throwLacking = (name: string): never => {
  throw new TypeError(`The answer lacks ${name}`);
};

/** By the option that has the row's value of the discriminator. */
const encodeUnion = (schema: z.ZodDiscriminatedUnion): EncodeValue => {
  const { discriminator } = schema.def;
  const options = schema.options.map((option) => ({
    values: option._zod.propValues?.[discriminator] ?? new Set(),
    encode: compileEncoder(option),
  }));
  return (value) => {
    // The contract's values are texts and numbers.
    const kind = asRecord(value)[discriminator] as z.core.util.Primitive;
    const option = options.find(({ values }) => values.has(kind));
    if (!option) throw new TypeError(`The answer has no known ${discriminator}`);
    return option.encode(value);
  };
};

const encodeTime: EncodeValue = (value) => {
  if (!(value instanceof Date)) throw new TypeError('The answer should hold a time here');
  return value.toISOString();
};

/** The handlers' types guarantee these; a violation must end in a 500, not in half an answer. */
const asArray = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new TypeError('The answer should hold a list here');
  return value;
};

const asRecord = (value: unknown): Record<string, unknown> => {
  if (value === null || typeof value !== 'object') {
    throw new TypeError('The answer should hold an object here');
  }
  return value as Record<string, unknown>;
};
