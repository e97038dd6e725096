import { type CatalogOperation, catalog } from '@holdfast/sdk/catalog';

/** An operation that commands of their own build on. */
export const operationNamed = (name: CatalogOperation['name']): CatalogOperation => {
  const found = catalog.find((operation) => operation.name === name);
  if (!found) throw new Error(`The API has no operation ${name}`);
  return found;
};
