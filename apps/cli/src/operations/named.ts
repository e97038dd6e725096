import { type CatalogOperation, catalog } from '@holdfast/sdk/catalog';
import { outputFieldsOf } from './entry-schema.ts';

/** An operation that commands of their own build on. */
export const operationNamed = (name: CatalogOperation['name']): CatalogOperation => {
  const found = catalog.find((operation) => operation.name === name);
  if (!found) throw new Error(`The API has no operation ${name}`);
  return found;
};

/** The fields of all that a command may show. */
export const fieldsOfAny = (...names: CatalogOperation['name'][]): string[] => [
  ...new Set(names.map(operationNamed).flatMap(outputFieldsOf)),
];
