import type { DashboardEndpoints } from '@holdfast/contract';
import { expand, type OperationTypes } from './contract-types.ts';
import type { EntryOf, Operation, PaginatedOf } from './operation-types.ts';
import type { ApiTypes } from './operations.ts';

const dashboardTypes =
  expand<{
    [Name in keyof DashboardEndpoints]: OperationTypes<DashboardEndpoints[Name]>;
  }>();

type AllTypes = ApiTypes & typeof dashboardTypes;

/** The operations of the API, and those that need a session of the dashboard. */
type OperationName = keyof AllTypes;

/** What an operation takes. */
export type Input<Name extends OperationName> = AllTypes[Name]['input'];

/** What it returns: the record, or a page of records with its `pagination`. */
export type Output<Name extends OperationName> = AllTypes[Name]['output'];

/** One record of a paginated operation. */
export type Entry<Name extends PaginatedOf<AllTypes>> = EntryOf<Output<Name>>;

/** The operations by name. */
export type DashboardOperations = { [Name in keyof AllTypes]: Operation<AllTypes[Name]> };
