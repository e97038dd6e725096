import type {
  DashboardEndpoints,
  Endpoint,
  Endpoints,
  pagination,
  ValidationDetails,
} from '@holdfast/contract';

/** The JSON form, in which a time is text. */
type Json<Schema> = Schema extends { _zod: { input: infer Value } } ? Value : never;
type Parsed<Schema> = Schema extends { _zod: { output: infer Value } } ? Value : never;

/** A query is text; a field that is parsed to a number or boolean is given as one. */
type QueryOf<Text, Value> = {
  [Name in keyof Text]: Name extends keyof Value
    ? [Value[Name]] extends [number | boolean | undefined]
      ? Value[Name]
      : Text[Name]
    : never;
};

type ParamsPart<E> = E extends { params: infer Schema }
  ? { params: Json<Schema> }
  : { params?: undefined };

type QueryPart<E> = E extends { query: infer Schema }
  ? Partial<Json<Schema>> extends Json<Schema>
    ? { query?: QueryOf<Json<Schema>, Parsed<Schema>> }
    : { query: QueryOf<Json<Schema>, Parsed<Schema>> }
  : { query?: undefined };

type BodyPart<E> = E extends { body: infer Schema }
  ? E extends { bodyOptional: true }
    ? { body?: Json<Schema> }
    : { body: Json<Schema> }
  : { body?: undefined };

type IdempotencyPart<E> = E extends { method: 'POST' }
  ? { idempotencyKey?: string }
  : { idempotencyKey?: undefined };

type OperationTypes<E extends Endpoint> = {
  input: ParamsPart<E> & QueryPart<E> & BodyPart<E> & IdempotencyPart<E>;
  output: E extends { paginated: true }
    ? { data: Json<E['data']>[]; pagination: Json<typeof pagination> }
    : Json<E['data']>;
  isPaginated: E extends { paginated: true } ? true : false;
};

/** A file is taken as any blob: zod's own type of files would ask users for zod. */
type Expanded<T> = T extends Blob
  ? Blob
  : T extends object
    ? { [Key in keyof T]: Expanded<T[Key]> }
    : T;
const expand = <T>(): Expanded<T> => {
  throw new Error('This file has only types');
};

/**
 * A value, so that the compiler expands these types when it writes declarations: users of the built
 * package then need neither the contract nor zod. This file is imported for its types only.
 */
const contractTypes = expand<{
  operations: { [Name in keyof Endpoints]: OperationTypes<Endpoints[Name]> };
  dashboard: { [Name in keyof DashboardEndpoints]: OperationTypes<DashboardEndpoints[Name]> };
  validationDetails: ValidationDetails;
}>();

type ApiTypes = (typeof contractTypes)['operations'];
type AllTypes = ApiTypes & (typeof contractTypes)['dashboard'];

export type InvalidInputDetails = (typeof contractTypes)['validationDetails'];

/** The operations of the public API. */
export type ApiName = keyof ApiTypes;

/** Those and the operations of the dashboard. */
export type OperationName = keyof AllTypes;

/** The operations that return one page. */
export type PaginatedName = {
  [Name in OperationName]: AllTypes[Name]['isPaginated'] extends true ? Name : never;
}[OperationName];

/** What an operation takes. */
export type Input<Name extends OperationName> = AllTypes[Name]['input'];

/** What it returns: the record, or a page of records with its `pagination`. */
export type Output<Name extends OperationName> = AllTypes[Name]['output'];

/** One record of a paginated operation. */
export type Entry<Name extends PaginatedName> =
  Output<Name> extends { data: (infer Record)[] } ? Record : never;

/** What every call takes beside its input. */
export type CallOptions = {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time limit of one attempt. */
  timeoutMs?: number;
};

/** The argument is optional if all of its fields are. */
type Arguments<Name extends OperationName> =
  Partial<Input<Name>> extends Input<Name>
    ? [call?: Input<Name> & CallOptions]
    : [call: Input<Name> & CallOptions];

type Operation<Name extends OperationName> = ((...call: Arguments<Name>) => Promise<Output<Name>>) &
  (Name extends PaginatedName
    ? {
        /** The entries of all pages, which are read as needed. */
        all(...call: Arguments<Name>): AsyncGenerator<Entry<Name>, void, undefined>;
      }
    : unknown);

/** The operations of the public API by name. */
export type Operations = { [Name in ApiName]: Operation<Name> };

/** Those and the operations that need a session of the dashboard. */
export type DashboardOperations = { [Name in OperationName]: Operation<Name> };
