import type { OperationName } from '../operations.ts';

/** What the service's OpenAPI document uses of JSON Schema; references are already resolved. */
export type JsonSchema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  /** A secret: it is given, and never returned. */
  writeOnly?: boolean;
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
};

/** The kinds of work that run in the background; the SDK has a `waitFor…` for each. */
export type JobKind = 'backup' | 'restore' | 'pull';

/** One operation of the API as data, for programs that offer all of them. */
export type CatalogOperation = {
  /** The name of the client's method. */
  name: OperationName;
  /** The group in the reference, such as `Backups`. */
  tag: string;
  /** The group and the verb on the command line, such as `backups create`. */
  command: [group: string, verb: string];
  summary: string;
  description?: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, with parameters as `:name`. */
  path: string;
  /** The scope that a key must have. */
  scope: string;
  /** What the account's plan must include. */
  feature?: string;
  /** The schemas of `params`, `query` and `body` of a call: objects, if there are any fields. */
  params?: JsonSchema;
  query?: JsonSchema;
  body?: JsonSchema;
  bodyExample?: unknown;
  isBodyOptional: boolean;
  /** Returns one page; the method has `all` for every entry. */
  isPaginated: boolean;
  /** The body's field that is a file, and its largest size. */
  upload?: { field: string; largestBytes: number };
  /** The HTTP status of a success. */
  status: number;
  isReadOnly: boolean;
  /** Takes something away that no other call brings back: ask before it is called. */
  isDestructive: boolean;
  /** Destroys, moves money, changes credentials or weakens protection: a person confirms it first. */
  isGuarded: boolean;
  /** Its answer contains a secret, which is shown only once. */
  showsSecret: boolean;
  /** The same call twice leaves what one call leaves. */
  isIdempotent: boolean;
  /** The record that it returns is that of a job under way. */
  startsJob?: JobKind;
  /** Why it can be refused, by HTTP status, as far as that is particular to it. */
  refusals: Record<string, string>;
  /** What the method returns: the record, or a page of records with its `pagination`. */
  outputSchema: JsonSchema;
};

export type Field = { name: string; isRequired: boolean; schema: JsonSchema };

/** The fields of one part of a call, in the contract's order. */
export const fieldsOf = (part: JsonSchema | undefined): Field[] =>
  Object.entries(part?.properties ?? {}).map(([name, schema]) => ({
    ...{ name, schema },
    isRequired: part?.required?.includes(name) ?? false,
  }));
