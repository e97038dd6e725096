import { isRecord } from './record.ts';

/** Only these fields of a record, or of each record of a list; `a.b` reaches into an object. */
export const pickFields = (value: unknown, fields: string[]): unknown => {
  if (Array.isArray(value)) return value.map((entry) => pickFields(entry, fields));
  if (!isRecord(value)) return value;
  return Object.fromEntries(fields.map((field) => [field, valueAt(value, field.split('.'))]));
};

const valueAt = (value: unknown, [name, ...rest]: string[]): unknown => {
  if (name === undefined) return value;
  return isRecord(value) && Object.hasOwn(value, name) ? valueAt(value[name], rest) : null;
};
