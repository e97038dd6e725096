import type {
  DashboardEndpoints,
  Endpoint,
  Endpoints,
  pagination,
  ValidationDetails,
} from '@holdfast/contract';

/** As JSON carries it: a time is text. */
type OnTheWire<Schema> = Schema extends { _zod: { input: infer Value } } ? Value : never;
type Understood<Schema> = Schema extends { _zod: { output: infer Value } } ? Value : never;

/** A query is all text; what is understood as a number or a boolean is given as one. */
type QueryOf<Text, Meaning> = {
  [Name in keyof Text]: Name extends keyof Meaning
    ? [Meaning[Name]] extends [number | boolean | undefined]
      ? Meaning[Name]
      : Text[Name]
    : never;
};

type ParamsPart<E> = E extends { params: infer Schema }
  ? { params: OnTheWire<Schema> }
  : { params?: undefined };

type QueryPart<E> = E extends { query: infer Schema }
  ? Partial<OnTheWire<Schema>> extends OnTheWire<Schema>
    ? { query?: QueryOf<OnTheWire<Schema>, Understood<Schema>> }
    : { query: QueryOf<OnTheWire<Schema>, Understood<Schema>> }
  : { query?: undefined };

type BodyPart<E> = E extends { body: infer Schema }
  ? E extends { bodyOptional: true }
    ? { body?: OnTheWire<Schema> }
    : { body: OnTheWire<Schema> }
  : { body?: undefined };

type RepeatPart<E> = E extends { method: 'POST' }
  ? { idempotencyKey?: string }
  : { idempotencyKey?: undefined };

type Operation<E extends Endpoint> = {
  input: ParamsPart<E> & QueryPart<E> & BodyPart<E> & RepeatPart<E>;
  output: E extends { paginated: true }
    ? { data: OnTheWire<E['data']>[]; pagination: OnTheWire<typeof pagination> }
    : OnTheWire<E['data']>;
  isPaginated: E extends { paginated: true } ? true : false;
};

type SpelledOut<T> = T extends object ? { [Key in keyof T]: SpelledOut<T[Key]> } : T;
const spellOut = <T>(): SpelledOut<T> => {
  throw new Error('There is nothing here but types');
};

/**
 * A value only so that the compiler, where it writes declarations, has to write these types out in
 * full: whoever uses the built package then needs neither the contract nor zod. This file is
 * imported for its types alone.
 */
export const contractTypes = spellOut<{
  operations: { [Name in keyof Endpoints]: Operation<Endpoints[Name]> };
  dashboard: { [Name in keyof DashboardEndpoints]: Operation<DashboardEndpoints[Name]> };
  validationDetails: ValidationDetails;
}>();

type ApiOperations = (typeof contractTypes)['operations'];
type Operations = ApiOperations & (typeof contractTypes)['dashboard'];

export type InvalidInputDetails = (typeof contractTypes)['validationDetails'];

/** The operations of the public API. */
export type ApiName = keyof ApiOperations;

/** Those, and the ones that only the dashboard has. */
export type OperationName = keyof Operations;

/** The operations that answer a page at a time. */
export type PaginatedName = {
  [Name in OperationName]: Operations[Name]['isPaginated'] extends true ? Name : never;
}[OperationName];

/** What an operation takes. */
export type Input<Name extends OperationName> = Operations[Name]['input'];

/** What it answers: the record, or a page of records with its `pagination`. */
export type Output<Name extends OperationName> = Operations[Name]['output'];

/** One record of a paginated operation. */
export type Entry<Name extends PaginatedName> =
  Output<Name> extends { data: (infer Record)[] } ? Record : never;
