import {
  accountLimits,
  accountRateFactor,
  endpoints,
  type OpenApiDocument,
  type Plan,
  type PlanName,
  planNames,
  scopeTiers,
} from '@holdfast/contract';
import { baseUrlOf } from './model.ts';

export type Table = { caption: string; head: string[]; rows: string[][] };

/** A block of the guide. Text in backticks is code. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'code'; title: string; code: string }
  | { kind: 'terms'; title: string; text: string; terms: readonly string[] }
  | ({ kind: 'table' } & Table);

export type Chapter = { id: string; title: string; blocks: Block[] };

export type LimitsOf = (plan: PlanName) => Plan;

/** What holds for all endpoints, for the page and for the Markdown file. */
export const chaptersOf = (document: OpenApiDocument, limitsOf: LimitsOf): Chapter[] => [
  { id: 'conventions', title: 'Conventions', blocks: conventions(baseUrlOf(document)) },
  { id: 'authentication', title: 'Authentication', blocks: authentication(document) },
  { id: 'scopes', title: 'Scopes', blocks: scopes() },
  { id: 'errors', title: 'Errors', blocks: errors(document) },
  { id: 'rate-limit', title: 'Rate limit', blocks: rateLimit(document, limitsOf) },
  { id: 'pagination', title: 'Pagination', blocks: pagination(document) },
  { id: 'idempotency', title: 'Idempotency', blocks: idempotency },
  { id: 'plans', title: 'Plans', blocks: plans(document, limitsOf) },
];

const text = (words: string): Block => ({ kind: 'text', text: words });
const list = (...items: string[]): Block => ({ kind: 'list', items });
const table = (caption: string, head: string[], rows: string[][]): Block => ({
  kind: 'table',
  caption,
  head,
  rows,
});
const json = (title: string, value: unknown): Block => ({
  kind: 'code',
  title,
  code: JSON.stringify(value, null, 2),
});

const conventions = (baseUrl: string): Block[] => [
  text(
    `Every path below belongs to \`${baseUrl}\`; the version is part of the path. Requests and answers are JSON in UTF-8. What you asked for stands under \`data\`, what went wrong under \`error\`.`,
  ),
  table(
    'Words for types used on this page',
    ['Word', 'Meaning'],
    [
      ['UUID', 'The id of a record of ours, as text.'],
      [
        'platform id',
        '1 to 20 digits, always as text: these numbers are too large for JSON numbers.',
      ],
      ['time', 'ISO 8601 in UTC, such as `2026-01-31T12:00:00.000Z`.'],
      ['URL', 'An absolute address. Pictures always have one, if need be that of a placeholder.'],
    ],
  ),
  list(
    'Fields that an endpoint does not know are ignored. A `PUT` changes the fields it names and must name at least one.',
    'A body is a JSON object of at most 256 KiB, 200 fields in an object and 5,000 values (an import: 52,428), sent as `application/json` and not compressed. Only a picture is sent as a form.',
    'A query parameter given twice is refused.',
    'Nothing is pushed to you: there are no outgoing webhooks. What takes time answers `202` and is followed by reading its record.',
  ),
];

const authentication = (document: OpenApiDocument): Block[] => [
  text(
    `Every request carries an API key in its \`Authorization\` header, and nowhere else. A key reads ${bearerForm(document)}; the last six are a checksum, by which a scanner tells a leaked key from a lookalike.`,
  ),
  {
    kind: 'code',
    title: 'A first request',
    code: `curl '${baseUrlOf(document)}/api/v1/account' \\\n  -H "Authorization: Bearer $HOLDFAST_KEY"`,
  },
  list(
    'You create your first key in the dashboard, under API keys; a key with the scope `api-keys:write` creates further ones. An operator can create one with `npm run admin -- create-key`. The full key is shown once; only its hash is stored.',
    'Use one key for each purpose. To rotate one, create the new key, deploy it, then revoke the old.',
    'A revoked key stops working within seconds. Missing, mistyped, expired and revoked keys all get the same `401`.',
  ),
];

const bearerForm = ({ components }: OpenApiDocument): string => {
  const scheme = components?.securitySchemes?.key;
  const form = scheme && !('$ref' in scheme) ? scheme.bearerFormat : undefined;
  return (form ?? '').replace(/^(\S+) \+ /, '`$1` followed by ');
};

/** Scopes that an endpoint needs: the others would only be in the way. */
const usedOf = (tier: keyof typeof scopeTiers): string[] => {
  const used = new Set<string>(Object.values(endpoints).map(({ scope }) => scope));
  return scopeTiers[tier].filter((scope) => used.has(scope));
};

const scopes = (): Block[] => [
  text(
    'A key may do what its scopes say. Each is independent: a write scope does not include the read scope beside it. Each endpoint below names the one it needs; without it the answer is `403`, with the scopes you hold.',
  ),
  { kind: 'terms', title: 'Read', text: 'Look, list, search.', terms: usedOf('read') },
  {
    kind: 'terms',
    title: 'Write',
    text: 'Change things, without destroying any for good.',
    terms: usedOf('write'),
  },
  {
    kind: 'terms',
    title: 'Destructive',
    text: 'Delete for good, overwrite a server, move people or money.',
    terms: usedOf('destructive'),
  },
  text(
    'The scope `*` stands for all of them, the destructive ones included. Further scopes are reserved: keys may hold them, but no endpoint needs them yet.',
  ),
];

const errors = ({ components }: OpenApiDocument): Block[] => [
  text(
    'A refusal is a JSON object with one sentence under `error`. Decide by the status; the wording may change.',
  ),
  table(
    'Status codes',
    ['Status', 'Meaning'],
    [
      ['`200`', 'Done.'],
      ['`201`', 'Created; the new record is in the answer.'],
      ['`202`', 'Accepted; the work is queued.'],
      ['`400`', 'The request is not valid: `details` says where.'],
      ['`401`', 'No key, or not one that works.'],
      ['`403`', 'The key lacks the scope, or the plan lacks the feature or has no room left.'],
      ['`404`', 'There is no such thing, or it is not yours. Both look the same.'],
      ['`409`', 'It clashes with what is already there or still running.'],
      ['`429`', 'Too many requests, or too early: `Retry-After` gives the seconds to wait.'],
      ['`500`', 'Our fault. `X-Request-Id` names the request in our log.'],
      [
        '`503`',
        'The database is away or too busy for a moment and nothing was changed: `Retry-After` says when to try again.',
      ],
    ],
  ),
  json('400: what is wrong, field by field', exampleOf(components, 'InvalidInput')),
  json('403: a scope is missing', exampleOf(components, 'MissingScope')),
  json('Every other refusal', exampleOf(components, 'Unauthorized')),
  text(
    'Checks come in a fixed order: key, rate limit, route, scope, shape of the request, owner, plan, state. The first that fails gives the answer.',
  ),
];

const exampleOf = (components: OpenApiDocument['components'], name: string): unknown => {
  const response = components?.responses?.[name];
  if (!response || '$ref' in response) throw new Error(`The contract describes no ${name}`);
  return response.content?.['application/json']?.example;
};

const rateLimit = ({ components }: OpenApiDocument, limitsOf: LimitsOf): Block[] => [
  text(
    'Each key has a budget per window of 10 seconds, opened by its first request. Every request with a valid key counts, whatever its answer. Beyond the budget the answer is `429`.',
  ),
  text(
    `All keys of an account together have ${accountRateFactor} times that budget. \`X-RateLimit-Remaining\` is the smaller of what the key and the account have left.`,
  ),
  text(
    'Lists, searches and analytics of one account are read a few at a time, searches of members one at a time. Further ones wait, and get `429` with `Retry-After` where that takes too long; so does a single read that takes longer than four seconds. A search for one or two characters looks at every name of the server: ask for three or more where you can.',
  ),
  table(
    'Requests per key and 10 seconds',
    ['Plan', 'Requests'],
    planNames.map((plan) => [plan, grouped(limitsOf(plan).apiRatePerTenSeconds)]),
  ),
  table('Headers', ['Header', 'Meaning'], headerRows(components)),
];

const headerRows = (components: OpenApiDocument['components']): string[][] => {
  const response = components?.responses?.RateLimited;
  if (!response || '$ref' in response) return [];
  return Object.entries(response.headers ?? {}).map(([name, header]) => {
    const target =
      '$ref' in header ? components?.headers?.[header.$ref?.split('/').at(-1) ?? ''] : header;
    return [`\`${name}\``, target && !('$ref' in target) ? (target.description ?? '') : ''];
  });
};

const pagination = ({ components }: OpenApiDocument): Block[] => {
  const schema = components?.schemas?.Pagination;
  const example = schema && !('$ref' in schema) ? schema.example : undefined;
  return [
    text(
      'Long lists come in pages, newest first. `page` counts from 1; `limit` is 1 to 100, and 20 if you leave it out. A page past the end is empty, not an error.',
    ),
    json('Beside data', { pagination: example }),
  ];
};

const idempotency: Block[] = [
  text(
    'Any `POST` may carry an `Idempotency-Key` of 1 to 255 printable ASCII characters. Send it again, with the same key and body, and the first answer comes back without the work being done twice.',
  ),
  list(
    'Answers are kept for 24 hours, for each API key apart, and only if they were a success.',
    'A repeated answer carries `Idempotency-Replayed: true`.',
    'The same value with another request, or while the first is still running, is `409`.',
    'An answer that shows a secret once is not kept: its repeat is `409`.',
  ),
];

const plans = ({ components }: OpenApiDocument, limitsOf: LimitsOf): Block[] => {
  const schema = components?.schemas?.PlanLimits;
  const properties = (schema && !('$ref' in schema) && schema.properties) || {};
  const rows = Object.entries(properties).map(([limit, inner]) => [
    '$ref' in inner ? limit : (inner.description ?? limit).replace(/( in bytes)?\.$/, ''),
    ...planNames.map((plan) => amount(limit, limitsOf(plan)[limit as keyof Plan])),
  ]);
  const prices = planNames.map((plan) => `$${limitsOf(plan).priceCents / 100}`);
  return [
    text(
      'What an account may hold and use depends on its plan. Going beyond a number, or using what the plan lacks, is `403`. Your own numbers are in the answer of `GET /api/v1/account`, under `limits`.',
    ),
    table('Plans and their limits', ['', ...planNames], [['Price per month', ...prices], ...rows]),
    text(
      `On every plan a server has at most ${grouped(accountLimits.rulesPerList)} firewall and ${grouped(accountLimits.rulesPerList)} whitelist rules and ${grouped(accountLimits.panels)} panels, and an account at most ${grouped(accountLimits.liveKeys)} live keys and ${grouped(accountLimits.listings)} listings, unpublished ones included. Creating beyond is \`403\`.`,
    ),
  ];
};

/** As the dashboard writes it: 1,000. */
const grouped = (value: number): string => value.toLocaleString('en-US');

/** A limit in the unit that ends its name. */
const amount = (limit: string, value: number | boolean): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (limit.endsWith('Bytes')) return `${value / 1024 ** 3} GiB`;
  if (limit.endsWith('Percent')) return `${value} %`;
  if (!limit.endsWith('Ms')) return grouped(value);
  const minutes = value / 60_000;
  if (minutes === 0) return 'none';
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;
};
