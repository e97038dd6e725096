// Takes about 27 s: started before shorter ones.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiPrefix, type Endpoint, endpoints } from '@holdfast/contract';
import { findRunningEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { generateMasterKey } from '../../../src/kernel/seal.ts';
import { createServer, newBotBody } from '../../harness/bots-and-servers.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  createKey,
  makeFolder,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { type Reply, randomPlatformId, type Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

const masterKey = generateMasterKey().split(':')[1] ?? '';
const metricsToken = `metrics${crypto.randomUUID()}`;
const botToken = `token${crypto.randomUUID()}`;
const clientSecret = `secret${crypto.randomUUID()}`;

let dataDir: string;
let databaseUrl: string;
let service: ServiceProcess;
let tenant: Tenant;
/** Everything that must never be seen again, by name. */
let canaries: Record<string, string>;
const answers: string[] = [];
const statuses = new Set<number>();

beforeAll(async () => {
  dataDir = await makeFolder();
  service = await startService({
    DATA_DIR: dataDir,
    MASTER_KEYS: `canary:${masterKey}`,
    METRICS_TOKEN: metricsToken,
    PLANS_FILE: await makePlansFile(),
  });
  databaseUrl = (await findRunningEmbeddedPostgres(dataDir)) ?? '';
  tenant = tenantAt(service.url, await createKey(databaseUrl));
  canaries = {
    'bot token': botToken,
    'client secret': clientSecret,
    'API key': tenant.key,
    'master key': masterKey,
    'database password': new URL(databaseUrl).password,
    'metrics token': metricsToken,
  };
});

afterAll(stopServices);

const remember = (reply: Reply): Reply => {
  answers.push(`${JSON.stringify([...reply.headers])} ${reply.text}`);
  statuses.add(reply.status);
  return reply;
};

/** One body that every endpoint can take what it knows from: the rest is ignored. */
const plausibleBody = (ids: { serverId: string; botId: string }) => ({
  ...newBotBody({ botToken, clientSecret }),
  platformGuildId: randomPlatformId(),
  customBotId: ids.botId,
  type: 'USER_ID',
  value: randomPlatformId(),
  platformId: randomPlatformId(),
  scopes: ['servers:read'],
  serverId: ids.serverId,
});

/** Secrets where they do not belong, in forms that nobody asked for. */
const hostileBodies = (body: object): RequestInit['body'][] =>
  [
    { ...body, botToken: [botToken], clientSecret: { clientSecret } },
    { ...body, botToken: botToken.repeat(20), clientSecret: `${clientSecret}\0` },
    { ...body, [botToken]: clientSecret, name: null, type: botToken, scopes: [clientSecret] },
    [botToken, clientSecret],
    botToken,
  ]
    .map((value) => JSON.stringify(value))
    .concat(`{"botToken":"${botToken}","clientSecret":"${clientSecret}`);

const drive = async (entry: Endpoint, ids: { serverId: string; botId: string }) => {
  const path = `${apiPrefix}${entry.path}`;
  const id = entry.path.startsWith('/bots') ? ids.botId : ids.serverId;
  const query = entry.method === 'DELETE' ? `?ruleId=${id}&entryId=${id}` : '';
  const call = async (at: string, options: { raw?: string; body?: object } = {}) => {
    const headers = {
      'idempotency-key': crypto.randomUUID(),
      ...(options.raw !== undefined && { 'content-type': 'application/json' }),
    };
    return remember(await tenant.call(entry.method, at, { ...options, headers }));
  };

  const hasBody = entry.method === 'POST' || entry.method === 'PUT';
  const body = plausibleBody(ids);
  const whole = await call(
    `${path.replaceAll(/:\w+/g, id)}${query}`,
    hasBody ? { body } : undefined,
  );
  // The one answer that may show a key shows it once; from then on it is a canary too.
  if (entry.showsSecret && whole.status === 201) {
    answers.pop();
    canaries['API key made by the API'] = whole.body.data.key;
  }
  if (hasBody) {
    for (const raw of hostileBodies(body)) {
      await call(`${path.replaceAll(/:\w+/g, id)}`, { raw: String(raw) });
    }
  }
  await call(`${path.replaceAll(/:\w+/g, tenant.key)}?key=${tenant.key}&access_token=${botToken}`);
};

const driveEverything = async (): Promise<void> => {
  const made = await tenant.call('POST', '/api/v1/bots', {
    body: newBotBody({ botToken, clientSecret }),
  });
  const bots = await tenant.call('GET', '/api/v1/bots');
  const botId = remember(made).body.data?.id ?? bots.body.data?.[0]?.id ?? crypto.randomUUID();
  const serverId = await createServer(tenant).catch(() => crypto.randomUUID());
  // What deletes comes last, so that everything before it has something to work on.
  const entries: Endpoint[] = Object.values(endpoints);
  const isLast = ({ method }: Endpoint) => method === 'DELETE';
  for (const entry of [...entries.filter((e) => !isLast(e)), ...entries.filter(isLast)]) {
    await drive(entry, { serverId, botId });
  }
};

const driveBesideTheApi = async (): Promise<void> => {
  const secrets = [tenant.key, metricsToken, botToken];
  const operations = ['/metrics', '/healthz', '/readyz', '/openapi.json', '/docs', '/nowhere'];
  for (const path of ['/api/v1/account', ...operations]) {
    for (const secret of secrets) {
      const headers = { authorization: `Bearer ${secret}`, cookie: `session=${secret}` };
      remember(await request(service.url, 'GET', `${path}?key=${secret}`, { headers }));
      remember(await request(service.url, 'POST', path, { headers, raw: secret }));
    }
  }
};

/** The value as it is, and as base64 or hexadecimal would hide it, wherever in a text it began. */
const spellingsOf = (canary: string): string[] => {
  const shifted = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(' '.repeat(before) + canary);
    // The first and last few characters depend on what stands beside.
    return [bytes.toString('base64'), bytes.toString('base64url')].map((text) => text.slice(4, -4));
  });
  const decoded = Buffer.from(canary, 'base64');
  const bytes =
    decoded.length === 32 ? [decoded.toString('hex'), decoded.toString('base64url')] : [];
  const hex = Buffer.from(canary).toString('hex');
  return [canary, ...shifted, hex, hex.toUpperCase(), ...bytes];
};

const canariesIn = (text: string): string[] =>
  Object.entries(canaries)
    .filter(([, canary]) => spellingsOf(canary).some((spelling) => text.includes(spelling)))
    .map(([name]) => name);

/** Every row of every table, as text. */
const dumpTables = async (): Promise<string> => {
  const sql = connectSql(databaseUrl);
  const tables = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`;
  const rows = [];
  for (const { name } of tables) {
    for (const { line } of await sql.unsafe(`select t::text as line from ${name} t`)) {
      rows.push(`${name} ${line}`);
    }
  }
  expect(rows.some((row) => row.startsWith('public.bots'))).toBe(true);
  expect(rows.some((row) => row.startsWith('pgboss.'))).toBe(true);
  return rows.join('\n');
};

/** What PostgreSQL wrote to disk: tables, indexes, journal and log. */
const filesWithCanaries = (): string => {
  const patterns = Object.values(canaries).flatMap(spellingsOf).join('\n');
  const places = [join(dataDir, 'postgres'), join(dataDir, 'postgres.log')];
  const { stdout } = Bun.spawnSync(['grep', '-rlaF', '-f', '-', ...places], {
    stdin: Buffer.from(patterns),
  });
  return stdout.toString();
};

test('no secret is ever seen again: not in an answer, a log line, a table or a file', async () => {
  await driveEverything();
  await driveBesideTheApi();
  expect([200, 201, 400, 401, 403, 404, 409].filter((status) => !statuses.has(status))).toEqual([]);

  // A table that is gone makes every statement on it fail, and the failure is logged.
  const sql = connectSql(databaseUrl);
  for (const table of ['bots', 'servers', 'audit_heads', 'idempotent_answers']) {
    await sql`alter table ${sql(table)} rename to away`.simple();
    await driveEverything();
    await sql`alter table away rename to ${sql(table)}`.simple();
  }
  expect(statuses).toContain(500);
  expect(service.output()).toContain('request failed');
  const tables = await dumpTables();
  await sql`checkpoint`.simple();
  const files = filesWithCanaries();

  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGINT');
  await eventually(10_000, () => expect(existsSync(pidFile)).toBe(false));
  for (let round = 0; round < 3; round++) {
    const failed = await tenant.call('POST', '/api/v1/bots', { body: newBotBody({ botToken }) });
    expect(remember(failed).status).toBe(503);
  }

  expect(Object.keys(canaries)).toContain('API key made by the API');
  expect(canariesIn(answers.join('\n'))).toEqual([]);
  expect(canariesIn(service.output())).toEqual([]);
  expect(canariesIn(tables)).toEqual([]);
  expect(files).toBe('');
});

test('the search itself finds a secret in every spelling it claims to know', () => {
  for (const [name, canary] of Object.entries(canaries)) {
    const beside = `--${canary}--`;
    for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
      expect(canariesIn(Buffer.from(beside).toString(encoding))).toContain(name);
    }
  }
  expect(canariesIn(Buffer.from(masterKey, 'base64').toString('hex'))).toEqual(['master key']);
});
