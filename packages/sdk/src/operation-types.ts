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

/** What every call takes beside its input. */
export type CallOptions = {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time limit of one attempt. */
  timeoutMs?: number;
};

/** The types of one operation, expanded. */
type AnyTypes = { input: unknown; output: unknown; isPaginated: boolean };

/** The argument is optional if all of its fields are. */
type Arguments<Input> =
  Partial<Input> extends Input ? [call?: Input & CallOptions] : [call: Input & CallOptions];

export type Operation<Types extends AnyTypes> = ((
  ...call: Arguments<Types['input']>
) => Promise<Types['output']>) &
  (Types['isPaginated'] extends true
    ? {
        /** The entries of all pages, which are read as needed. */
        all(
          ...call: Arguments<Types['input']>
        ): AsyncGenerator<EntryOf<Types['output']>, void, undefined>;
      }
    : unknown);

/** The names of those that return one page. */
export type PaginatedOf<All extends Record<keyof All, AnyTypes>> = {
  [Name in keyof All]: All[Name]['isPaginated'] extends true ? Name : never;
}[keyof All];

/** One record of a page. */
export type EntryOf<Page> = Page extends { data: (infer Record)[] } ? Record : never;
