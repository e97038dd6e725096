import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  apiPrefix,
  type Endpoint,
  endpoints,
  generalError,
  missingScopeError,
  type OpenApiDocument,
  type OpenApiOperation,
  openApiDocument,
  responseBody,
  scopes,
  validationError,
} from '@holdfast/contract';
import { z } from 'zod';

const document: OpenApiDocument = openApiDocument(endpoints, {
  version: '1.2.3',
  baseUrl: 'https://api.holdfast.test',
});
const entries: [string, Endpoint][] = Object.entries(endpoints);

const operationOf = ({ method, path }: Endpoint): OpenApiOperation => {
  const item = document.paths?.[`${apiPrefix}${path.replace(/:(\w+)/g, '{$1}')}`];
  const operation = item?.[method.toLowerCase() as 'get'];
  if (!operation) throw new Error(`The document lacks ${method} ${path}`);
  return operation;
};

const responseOf = (operation: OpenApiOperation, status: string | number) => {
  const found = operation.responses?.[`${status}` as '200'];
  if (!found || !('$ref' in found)) return found;
  const shared = document.components?.responses?.[found.$ref?.split('/').at(-1) ?? ''];
  return shared && !('$ref' in shared) ? shared : undefined;
};

const exampleOf = (operation: OpenApiOperation, status: string | number): unknown =>
  responseOf(operation, status)?.content?.['application/json']?.example;

describe('the document as a whole', () => {
  let lint: { exitCode: number; report: string };

  beforeAll(async () => {
    lint = await lintDocument();
  });

  test('is valid OpenAPI, without a warning', () => {
    expect(JSON.parse(lint.report).problems).toEqual([]);
    expect(lint.exitCode).toBe(0);
  });

  test('holds every endpoint of the contract, the webhooks and health, and nothing else', () => {
    const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [operation.operationId, method, path]),
    );
    const beside = [
      ['cardWebhook', 'post', '/api/billing/webhook'],
      ['cryptoWebhook', 'post', '/api/oxapay/webhook'],
      ['getHealth', 'get', '/healthz'],
      ['getReadiness', 'get', '/readyz'],
      ['getMetrics', 'get', '/metrics'],
    ];
    const wanted = entries.map(([name, { method, path }]) => [
      name,
      method.toLowerCase(),
      `${apiPrefix}${path.replace(/:(\w+)/g, '{$1}')}`,
    ]);
    expect(operations.toSorted()).toEqual([...wanted, ...beside].toSorted());
  });

  test('describes every tag', () => {
    for (const tag of document.tags ?? []) {
      expect(tag.description, `Describe “${tag.name}” in the contract's tags.ts`).toBeString();
    }
  });

  test('is small enough to be read by a person', () => {
    expect(JSON.stringify(document).length / entries.length).toBeLessThan(6000);
  });
});

describe.each(entries)('%s', (_, entry) => {
  const operation = operationOf(entry);

  test('names its one scope', () => {
    expect(operation.security).toEqual([{ key: [entry.scope] }]);
    expect(scopes).toContain(entry.scope);
    expect(operation.description).toContain(`\`${entry.scope}\``);
  });

  test('shows examples that the contract accepts', () => {
    const { body, upload } = entry;
    // A file has no example in JSON.
    if (body && !upload) {
      const { requestBody } = operation;
      const content = requestBody && 'content' in requestBody ? requestBody.content : undefined;
      expect(problemsOf(body, content?.['application/json']?.example)).toBeUndefined();
    }
    expect(problemsOf(responseBody(entry), exampleOf(operation, entry.status))).toBeUndefined();
  });

  test('shows path parameters that the contract accepts', () => {
    const given = (operation.parameters ?? []).flatMap((parameter) =>
      'name' in parameter && parameter.in === 'path' ? [[parameter.name, parameter.example]] : [],
    );
    expect(problemsOf(entry.params ?? z.object({}), Object.fromEntries(given))).toBeUndefined();
  });

  test('shows the body of every refusal', () => {
    const refused = Object.keys(operation.responses ?? {}).filter((status) => status >= '400');
    expect(refused).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500']));
    expect(refused).toEqual(expect.arrayContaining(Object.keys(entry.refusals ?? {})));
    for (const status of refused) {
      const schema =
        status === '400' ? validationError : status === '403' ? refusal403 : generalError;
      expect(problemsOf(schema, exampleOf(operation, status)), status).toBeUndefined();
    }
  });

  test('names the headers of its answers', () => {
    const headersOf = (status: string | number) =>
      Object.keys(responseOf(operation, status)?.headers ?? {});
    const isKept = entry.method === 'POST' && !entry.showsSecret;
    expect(headersOf(entry.status).includes('Idempotency-Replayed')).toBe(isKept);
    expect(headersOf(429)).toContain('Retry-After');
    expect(headersOf(401)).toContain('WWW-Authenticate');
    for (const status of Object.keys(operation.responses ?? {})) {
      expect(headersOf(status)).toEqual(expect.arrayContaining(commonHeaders));
    }
  });
});

const commonHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

const refusal403 = z.union([missingScopeError, generalError]);

/** What the schema finds wrong with an example, in words. */
const problemsOf = (schema: z.ZodType, example: unknown): string | undefined => {
  const { error } = schema.safeParse(example);
  return error && `${JSON.stringify(example)}: ${z.prettifyError(error)}`;
};

/** The linter runs on Node, and must not look for news of itself. */
const lintDocument = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-openapi-'));
  const file = join(folder, 'openapi.json');
  await Bun.write(file, JSON.stringify(document));
  const redocly = new URL('../../../node_modules/.bin/redocly', import.meta.url).pathname;
  const command = ['node', redocly, 'lint', '--format=json', file];
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...process.env, ...quiet },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const report = await new Response(child.stdout).text();
  const exitCode = await child.exited;
  await rm(folder, { recursive: true });
  return { exitCode, report };
};
