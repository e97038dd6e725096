import { basename } from 'node:path';
import type { Holdfast } from '@holdfast/sdk';
import { type CatalogOperation, fieldsOf } from '@holdfast/sdk/catalog';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { textOf, textsOf } from '../option-values.ts';
import { isRecord } from '../output/record.ts';
import { readStdin } from '../prompt.ts';
import { flagsOf, valueFrom } from './flags.ts';
import { parseJson, readGivenFile } from './given-file.ts';
import { backupIdOf, serverIdOf } from './resolve.ts';

/** The input of any operation. */
export type Call = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
};

/** Calls an operation by its name, with input that the service checks. */
export const callOperation = (
  holdfast: Holdfast,
  { name }: CatalogOperation,
  call: Call,
): Promise<unknown> =>
  // The catalog and the client are made of the same entries, so there is a method of each name.
  (holdfast[name] as unknown as (call: Call) => Promise<unknown>)(call);

/** Every entry of a list. */
export const listEverything = async (
  holdfast: Holdfast,
  { name }: CatalogOperation,
  call: Call,
): Promise<unknown[]> => {
  // Likewise; paginated operations have `all`.
  const { all } = holdfast[name] as unknown as { all(call: Call): AsyncIterable<unknown> };
  const entries: unknown[] = [];
  for await (const entry of all(call)) entries.push(entry);
  return entries;
};

type Typed = { args: string[]; options: Record<string, unknown> };

/** What was typed, as the input of the operation. */
export const readCall = async (
  context: Context,
  holdfast: Holdfast,
  operation: CatalogOperation,
  { args, options }: Typed,
): Promise<Call> => {
  const params = await readParams(holdfast, operation, args);
  const query: Record<string, unknown> = {};
  const body = await readBody(context, options);
  for (const { field, part, flag, attribute } of flagsOf(operation)) {
    const given = options[attribute];
    if (given === undefined) continue;
    const value = await fieldValue(holdfast, field.name, () =>
      typeof given === 'boolean' ? given : readValue(field.schema, given, flag),
    );
    (part === 'query' ? query : body)[field.name] = value;
  }
  const { upload } = operation;
  if (upload) body[upload.field] = await readUpload(args.at(-1) ?? '');
  return {
    ...(fieldsOf(operation.params).length > 0 && { params }),
    ...(Object.keys(query).length > 0 && { query }),
    ...(hasBody(operation, body) && { body }),
  };
};

/** An optional body without fields is not sent; a required one is, so that the service names what it lacks. */
const hasBody = ({ body: schema, isBodyOptional }: CatalogOperation, body: object): boolean =>
  schema !== undefined && (!isBodyOptional || Object.keys(body).length > 0);

const readValue = (
  schema: Parameters<typeof valueFrom>[0],
  given: unknown,
  flag: string,
): unknown => {
  const text = textOf(given);
  if (text !== undefined) return valueFrom(schema, text, flag);
  return textsOf(given).flatMap((part) => valueFrom(schema, part, flag));
};

/** Servers may be named wherever the API asks for the id of one. */
const fieldValue = async (
  holdfast: Holdfast,
  name: string,
  read: () => unknown,
): Promise<unknown> => {
  const value = read();
  return /serverId$/i.test(name) && typeof value === 'string' ? serverIdOf(holdfast, value) : value;
};

const readParams = async (
  holdfast: Holdfast,
  { path }: CatalogOperation,
  args: string[],
): Promise<Record<string, string>> => {
  const params: Record<string, string> = {};
  for (const [index, { param, resource }] of pathParams(path).entries()) {
    const given = args[index] ?? '';
    if (resource === 'server') params[param] = await serverIdOf(holdfast, given);
    else if (resource === 'backup') {
      params[param] = await backupIdOf(holdfast, params.id ?? '', given);
    } else params[param] = given;
  }
  return params;
};

/** `/servers/:id/backups/:backupId` → the server by `id`, the backup by `backupId`. */
export const pathParams = (path: string): { param: string; resource: string }[] =>
  [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, segment = '', param = '']) => ({
    ...{ param, resource: segment.replace(/s$/, '') },
  }));

/** `--body -` reads standard input, `--body file.json` a file. Flags win over it. */
const readBody = async (
  { io }: Context,
  { body: source }: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const path = textOf(source);
  if (path === undefined) return {};
  const text = path === '-' ? await readStdin(io) : await readGivenFile(path, 'utf8');
  const body = parseJson(text, '--body');
  if (!isRecord(body)) throw new CommandError('usage', '--body must be a JSON object');
  return body;
};

const readUpload = async (path: string): Promise<File> => {
  const type = types[path.toLowerCase().match(/\.(\w+)$/)?.[1] ?? ''];
  const bytes = await readGivenFile(path);
  return new File([new Uint8Array(bytes)], basename(path), { type });
};

const types: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
