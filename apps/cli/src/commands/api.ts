import type { CommandSpec, Invocation } from '../command.ts';
import { CommandError } from '../exit-codes.ts';
import { parseJson, readGivenFile } from '../operations/given-file.ts';
import { textOf, textsOf } from '../option-values.ts';
import { exitOfStatus } from '../output/failure.ts';
import { isRecord } from '../output/record.ts';
import { readStdin } from '../prompt.ts';

export const api: CommandSpec = {
  words: ['api'],
  summary: 'Send any request to the API, with the key',
  description:
    'The path is below /api/v1, or from the root if it begins with /. Fields become the query of a GET and the JSON body of every other method.',
  arguments: [
    { name: 'method', description: 'GET, POST, PUT or DELETE' },
    { name: 'path', description: 'such as servers, or /api/v1/servers' },
  ],
  options: [
    { flags: '-f, --raw-field <key=value>', description: 'a field of text', isRepeatable: true },
    {
      flags: '-F, --field <key=value>',
      description: 'a field: true, false, null, numbers and JSON as such, @file for its text',
      isRepeatable: true,
    },
    { flags: '--input <file>', description: 'the body from a file, or from standard input by -' },
    { flags: '-H, --header <name:value>', description: 'a header', isRepeatable: true },
    { flags: '--paginate', description: 'all pages of a list, as one array' },
  ],
  examples: [
    { does: 'Read something', line: 'holdfast api GET servers --jq .data[0].name' },
    {
      does: 'Change something',
      line: 'holdfast api PUT servers/<server> -F minAccountAgeDays=7 -f captchaType=POW',
    },
    { does: 'Every entry of a list', line: 'holdfast api GET audit --paginate' },
  ],
  run: sendRequest,
};

async function sendRequest({ context, args, options }: Invocation): Promise<void> {
  const [method = '', path = ''] = args;
  const { url, key } = await context.connection();
  if (key === undefined) await context.holdfast();
  const fields = await readFields(options);
  const isRead = method.toUpperCase() === 'GET';
  const input = textOf(options.input);
  const body =
    input === undefined
      ? isRead || Object.keys(fields).length === 0
        ? undefined
        : JSON.stringify(fields)
      : input === '-'
        ? await readStdin(context.io)
        : await readGivenFile(input, 'utf8');
  const target = new URL(path.startsWith('/') ? path : `/api/v1/${path}`, url);
  if (target.origin !== new URL(url).origin) throw new CommandError('usage', 'The path is no path');
  if (isRead) {
    for (const [name, value] of Object.entries(fields))
      target.searchParams.set(name, String(value));
  }
  const headers = new Headers({ authorization: `Bearer ${key}`, accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of textsOf(options.header).map(splitHeader)) headers.set(name, value);
  const send = (address: URL) => request(address, { method: method.toUpperCase(), headers, body });
  await context.output.show(
    options.paginate === true ? await readPages(target, send) : await send(target),
  );
}

const readFields = async (options: Record<string, unknown>): Promise<Record<string, unknown>> => {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of textsOf(options.rawField).map(splitField)) fields[name] = value;
  for (const [name, value] of textsOf(options.field).map(splitField)) {
    fields[name] = value.startsWith('@')
      ? await readGivenFile(value.slice(1), 'utf8')
      : typed(value);
  }
  return fields;
};

const splitField = (text: string): [string, string] => splitAt(text, '=');
const splitHeader = (text: string): [string, string] => splitAt(text, ':');

const splitAt = (text: string, mark: string): [string, string] => {
  const index = text.indexOf(mark);
  if (index < 1) throw new CommandError('usage', `${text} must have the form name${mark}value`);
  return [text.slice(0, index), text.slice(index + 1).trim()];
};

const typed = (value: string): unknown =>
  /^(true|false|null|-?\d+(\.\d+)?|[[{].*)$/s.test(value) ? parseJson(value, value) : value;

/** The body of a success; the message of a refusal. */
const request = async (
  url: URL,
  init: { method: string; headers: Headers; body: string | undefined },
): Promise<unknown> => {
  // Never to another address: the key would go along.
  const response = await fetch(url, { ...init, redirect: 'error' }).catch((cause) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('unreachable', `No answer of ${url.origin}: ${reason}`);
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const body = isJson ? parseJson(text, 'The answer') : text;
  if (response.ok) return body;
  const message = isRecord(body) && typeof body.error === 'string' ? body.error : text;
  throw new CommandError(exitOfStatus(response.status), `HTTP ${response.status}: ${message}`, [
    ...(isRecord(body) && body.details ? [JSON.stringify(body.details)] : []),
  ]);
};

const readPages = async (first: URL, send: (url: URL) => Promise<unknown>): Promise<unknown[]> => {
  const entries: unknown[] = [];
  const url = new URL(first);
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', '100');
  for (let page = 1; ; page++) {
    url.searchParams.set('page', String(page));
    const body = await send(url);
    if (!isRecord(body) || !Array.isArray(body.data) || !isRecord(body.pagination)) {
      throw new CommandError('usage', '--paginate is for lists that have pages');
    }
    entries.push(...body.data);
    if (page >= Number(body.pagination.totalPages)) return entries;
  }
};
