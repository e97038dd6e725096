import type { CommandSpec, Invocation } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { readGivenFile } from '../operations/given-file.ts';
import { textOf, textsOf } from '../option-values.ts';
import { isRecord } from '../output/record.ts';
import { readStdin } from '../prompt.ts';
import { readFields, splitHeader } from './api-fields.ts';

export const api: CommandSpec = {
  words: ['api'],
  summary: 'Send any request to the API, with the key',
  description:
    'The path is below /api/v1, or below the URL of the service if it begins with /. Fields become the query of a GET and the JSON body of every other method.',
  arguments: [
    { name: 'method', description: 'GET, POST, PUT or DELETE' },
    { name: 'path', description: 'such as servers, or /api/v1/servers' },
  ],
  options: [
    { flags: '-f, --raw-field <key=value>', description: 'a field of text', isRepeatable: true },
    {
      flags: '-F, --field <key=value>',
      description:
        'a field: true, false, null, JSON and numbers as such, @file for its text; a number with more digits than fit, such as an id, stays text',
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
  const [given = '', path = ''] = args;
  const method = given.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method)) throw new CommandError('usage', `${given} is no method`);
  const fields = await readFields(options);
  const isRead = method === 'GET';
  const query: Record<string, string> = {};
  if (isRead) for (const [name, value] of fields) query[name] = queryText(value);
  const sent = isRead ? new Map() : fields;
  const body = await readBody(context, textOf(options.input), sent);
  const headers = Object.fromEntries(textsOf(options.header).map(splitHeader));
  const send = (asked: Record<string, string>) =>
    context.request({ method, path, headers, body, query: asked });
  const size: Record<string, string> = /[?&]limit=/.test(path) ? {} : { limit: '100' };
  await context.output.show(
    options.paginate === true
      ? await readPages((page) => send({ ...size, ...query, page }))
      : await send(query),
  );
}

const queryText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const readBody = async (
  { io }: Context,
  input: string | undefined,
  fields: Map<string, unknown>,
): Promise<string | undefined> => {
  if (input === '-') return readStdin(io);
  if (input !== undefined) return readGivenFile(input, 'utf8');
  return fields.size === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
};

/** As many entries as a program can hold; a service that never ends a list must not fill the memory. */
const mostPages = 10_000;

const readPages = async (read: (page: string) => Promise<unknown>): Promise<unknown[]> => {
  const entries: unknown[] = [];
  for (let page = 1; page <= mostPages; page++) {
    const body = await read(String(page));
    if (!isRecord(body) || !Array.isArray(body.data) || !isRecord(body.pagination)) {
      throw new CommandError('usage', '--paginate is for lists that have pages');
    }
    const { page: sent, totalPages } = body.pagination;
    if (sent !== page) throw new CommandError('failure', `Page ${sent} came in place of ${page}`);
    entries.push(...body.data);
    if (body.data.length === 0 || page >= Number(totalPages)) return entries;
  }
  throw new CommandError('failure', `The list has more than ${mostPages} pages`, [
    'Read a part of it: -f page=1 -f limit=100',
  ]);
};
