import type { CatalogOperation, JsonSchema } from '@holdfast/sdk/catalog';

/** The schema of the record, or of one entry of the list. */
export const entrySchema = ({ outputSchema, isPaginated }: CatalogOperation): JsonSchema => {
  const whole = isPaginated ? outputSchema.properties?.data : outputSchema;
  return whole?.items ?? whole ?? {};
};

/** The fields that `--json` can choose of it. */
export const outputFieldsOf = (operation: CatalogOperation): string[] =>
  Object.keys(entrySchema(operation).properties ?? {});
