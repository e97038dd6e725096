import type { Endpoints, ValidationDetails } from '@holdfast/contract';
import { expand, type OperationTypes } from './contract-types.ts';
import type { EntryOf, Operation, PaginatedOf } from './operation-types.ts';

const contractTypes = expand<{
  operations: { [Name in keyof Endpoints]: OperationTypes<Endpoints[Name]> };
  validationDetails: ValidationDetails;
}>();

export type ApiTypes = (typeof contractTypes)['operations'];

export type InvalidInputDetails = (typeof contractTypes)['validationDetails'];

/** The operations of the API. */
export type OperationName = keyof ApiTypes;

/** The operations that return one page. */
export type PaginatedName = PaginatedOf<ApiTypes>;

/** What an operation takes. */
export type Input<Name extends OperationName> = ApiTypes[Name]['input'];

/** What it returns: the record, or a page of records with its `pagination`. */
export type Output<Name extends OperationName> = ApiTypes[Name]['output'];

/** One record of a paginated operation. */
export type Entry<Name extends PaginatedName> = EntryOf<Output<Name>>;

/** The operations by name. */
export type Operations = { [Name in keyof ApiTypes]: Operation<ApiTypes[Name]> };
