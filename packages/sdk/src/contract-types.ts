import type { Endpoint, pagination } from '@holdfast/contract';

/** How the types of an operation follow from its entry of the contract. */

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

export type OperationTypes<E extends Endpoint> = {
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

/**
 * A value of it, so that the compiler expands the type when it writes declarations: users of the built
 * package then need neither the contract nor zod. Files that call it are imported for their types only.
 */
export const expand = <T>(): Expanded<T> => {
  throw new Error('This file has only types');
};
