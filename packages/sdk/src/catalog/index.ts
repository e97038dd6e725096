/**
 * The operations of the API as data, for programs that offer all of them: a command line, an
 * assistant's tools. The client's methods have the same names.
 *
 * - `operation.ts`: what an operation consists of
 * - `command.ts`: its words on the command line, derived from its name
 * - `catalog-macros.ts`: all of them, read from the contract at bundle time
 */
import { readCatalog } from './catalog-macros.ts' with { type: 'macro' };
import type { CatalogOperation } from './operation.ts';

export type { CatalogOperation, Field, JobKind, JsonSchema } from './operation.ts';
export { fieldsOf } from './operation.ts';

/** Every operation, in the contract's order. */
export const catalog: CatalogOperation[] = JSON.parse(readCatalog());
