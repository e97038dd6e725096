import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultPlans } from '@holdfast/contract';
import { readPlansFile } from '../../../src/features/plans/queries.ts';
import { generateMasterKey } from '../../../src/kernel/seal.ts';
import { oneLine } from '../../../src/main/admin/one-line.ts';
import { runAdminCommand } from '../../../src/main/admin/run.ts';
import { readConfig } from '../../../src/main/config.ts';
import { createBot, createServer, newBotBody } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import {
  connectSql,
  createKey,
  createKeyByCommand,
  makeFolder,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { randomPlatformId } from '../../harness/service.ts';
import { type CommandResult, runAdmin, runStart } from '../../harness/service-process.ts';

const unreachable = 'postgres://holdfast:hidden-password@127.0.0.1:1/holdfast';

/** Ended by itself with words for a person: no stack, no secret, no result on standard output. */
const expectRefusal = ({ exitCode, stdout, stderr }: CommandResult): string => {
  expect(exitCode).toBe(1);
  // On a busy machine the start may log that it waits for the database.
  expect(stdout).toMatch(/^(Starting Holdfast .*\n)?(\{"level":"info".*Postgre.*\}\n)*$/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain('hidden-password');
  return stderr;
};

/** What a start would say before it ends: `runStart` shows that it does. */
const refusalOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    expect(message).not.toContain('hidden-password');
    return message;
  }
  throw new Error('Nothing was refused');
};

const fileHolding = async (text: string): Promise<string> => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, text);
  return file;
};

let database: string;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(stopServices);

describe('production', () => {
  const needed = {
    BASE_URL: 'https://holdfast.example',
    DATABASE_URL: unreachable,
    MASTER_KEYS: generateMasterKey(),
    PLATFORM_CLIENT_ID: '498605767562051586',
    PLATFORM_CLIENT_SECRET: 'hidden-password',
  };
  const namesIn = (message: string) => message.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];

  test('with nothing set names each setting it needs, and nothing else', async () => {
    const message = expectRefusal(await runStart({ NODE_ENV: 'production' }));
    expect(namesIn(message).toSorted()).toEqual(Object.keys(needed));
  });

  test('says the same from whatever folder it is started', async () => {
    const elsewhere = { cwd: await makeFolder() };
    const message = expectRefusal(await runStart({ NODE_ENV: 'production' }, elsewhere));
    expect(namesIn(message).toSorted()).toEqual(Object.keys(needed));
  });

  test('with one setting missing names that one alone', () => {
    const { MASTER_KEYS: _, ...rest } = needed;
    expect(namesIn(refusalOf({ NODE_ENV: 'production', ...rest }))).toEqual(['MASTER_KEYS']);
  });
});

describe('a setting that cannot be used', () => {
  const expectNames = (message: string, ...names: string[]) => {
    for (const name of names) expect(message).toContain(name);
    expect(message.trim().split('\n').length).toBeLessThanOrEqual(1 + 2 * names.length);
    return message;
  };
  const expectNamed = (env: Record<string, string>, ...names: string[]) =>
    expectNames(refusalOf({ DATABASE_URL: unreachable, ...env }), ...names);
  const expectNamedByStart = async (env: Record<string, string>, ...names: string[]) =>
    expectNames(expectRefusal(await runStart({ DATABASE_URL: unreachable, ...env })), ...names);

  test('is named in one message, together with all others', async () => {
    const several = { PORT: 'http', ROLE: 'cook', BASE_URL: 'here' };
    await expectNamedByStart(several, 'PORT', 'ROLE', 'BASE_URL');
    expectNamed({ DATABASE_URL: 'mysql://u:hidden-password@h/d' }, 'DATABASE_URL');
    expectNamed(
      { PLATFORM_API_URL: 'ftp://here', SIMULATOR_PORT: '70000' },
      ...['PLATFORM_API_URL', 'SIMULATOR_PORT'],
    );
    expectNamed({ WORKER_ID: 'a b', BLOB_URL: '/blobs' }, 'WORKER_ID', 'BLOB_URL');
    const proxies = { TRUSTED_PROXIES: '10.0.0.0/8,my-proxy' };
    await expectNamedByStart(proxies, 'TRUSTED_PROXIES', 'my-proxy');
  });

  test('is named without its value where it is a secret', async () => {
    const env = { DATABASE_URL: database };
    for (const ring of ['k1:aGlkZGVu', `${generateMasterKey()},hidden`]) {
      const message = await expectNamedByStart({ ...env, MASTER_KEYS: ring }, 'MASTER_KEYS');
      expect(message).not.toContain('hidden');
      expect(message).not.toContain('aGlkZGVu');
    }
  });

  test('is named when it is a PLANS_FILE that is missing, or holds no plans', async () => {
    const missing = '/nowhere/plans.json';
    await expectNamedByStart({ PLANS_FILE: missing }, 'PLANS_FILE', missing);
    for (const text of ['{', '{"GOLD":{"maxServers":1}}', '{"FREE":{"maxServers":-1}}']) {
      const file = await fileHolding(text);
      const message = await readPlansFile(file).then(JSON.stringify, ({ message }) => message);
      expectNames(message, 'PLANS_FILE', file);
    }
  });

  test('is named when only one of the platform credentials is set', () => {
    const id = { PLATFORM_CLIENT_ID: '498605767562051586' };
    const secret = { PLATFORM_CLIENT_SECRET: 'hidden-password' };
    expect(expectNamed(id, 'PLATFORM_CLIENT_SECRET')).toMatch(/^PLATFORM_CLIENT_SECRET /);
    expect(expectNamed(secret, 'PLATFORM_CLIENT_ID')).toMatch(/^PLATFORM_CLIENT_ID /);
    expectNamed({ ...secret, PLATFORM_CLIENT_ID: 'mine' }, 'PLATFORM_CLIENT_ID');
  });

  test('HOST beyond loopback is refused in local mode', () => {
    expectNamed({ HOST: '0.0.0.0' }, 'HOST');
  });

  test('a database that does not answer is named in one line, without its password', async () => {
    const start = expectRefusal(await runStart({ DATABASE_URL: unreachable }));
    const admin = expectRefusal(await runAdmin({ DATABASE_URL: unreachable }, 'migrate'));
    for (const message of [start, admin]) {
      expect(message.trim().split('\n')).toHaveLength(1);
      expect(message).toMatch(/database|PostgreSQL/i);
    }
  });
});

describe('a running service', () => {
  test('keeps to the one cell that PLANS_FILE changes, and to the table for all others', async () => {
    const plansFile = await fileHolding('{"FREE":{"maxServers":2}}');
    const env = { DATABASE_URL: database, PLANS_FILE: plansFile };
    const { url } = await startService({ ...env, ROLE: 'api' });
    const tenant = tenantAt(url, await createKey(env.DATABASE_URL, { plan: 'FREE' }));
    const { limits } = (await tenant.call('GET', '/api/v1/account')).body.data;
    const { priceCents: _, ...free } = defaultPlans.FREE;
    expect(limits).toEqual({ ...free, maxServers: 2 });

    const customBotId = await createBot(tenant);
    await createServer(tenant);
    await createServer(tenant);
    const body = { platformGuildId: randomPlatformId(), customBotId, name: 'Third' };
    const third = await tenant.call('POST', '/api/v1/servers', { body });
    expect(third.status).toBe(403);
    const secondBot = await tenant.call('POST', '/api/v1/bots', { body: newBotBody() });
    expect(secondBot.status).toBe(403);
  });

  test('as a worker answers its operator, and has no API', async () => {
    const env = { DATABASE_URL: database };
    const { url } = await startService({ ...env, ROLE: 'worker' });
    const tenant = tenantAt(url, await createKey(env.DATABASE_URL));
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await request(url, 'GET', path)).status).toBe(200);
    }
    for (const path of ['/api/v1/account', '/api/v1', '/openapi.json', '/docs']) {
      expect((await tenant.call('GET', path)).status).toBe(404);
    }
  });

  test('shows its metrics to loopback or for the token, not to whom a proxy speaks for', async () => {
    const token = crypto.randomUUID();
    const env = { DATABASE_URL: database, PLANS_FILE: await makePlansFile() };
    const { url } = await startService({ ...env, METRICS_TOKEN: token, ROLE: 'api' });
    const ask = async (headers: Record<string, string>) =>
      (await request(url, 'GET', '/metrics', { headers })).status;
    const forwarded = {
      'x-forwarded-for': '127.0.0.1',
      forwarded: 'for=127.0.0.1',
      'x-real-ip': '127.0.0.1',
      via: '1.1 proxy',
    };
    expect(await ask({})).toBe(200);
    for (const [name, value] of Object.entries(forwarded)) {
      expect({ name, status: await ask({ [name]: value }) }).toEqual({ name, status: 403 });
      const withToken = { [name]: value, authorization: `Bearer ${token}` };
      expect({ name, status: await ask(withToken) }).toEqual({ name, status: 200 });
      const withAnother = { [name]: value, authorization: `Bearer ${token}0` };
      expect({ name, status: await ask(withAnother) }).toEqual({ name, status: 403 });
    }
    const { text } = await request(url, 'GET', '/metrics');
    expect(text).toContain('holdfast_http_request_seconds_bucket');
  });
});

describe("the operator's command", () => {
  const someId = '0191d3a0-5b7e-7c3a-9b1e-6f0d2c4a8e11';

  test('refuses with one line on standard error and nothing on standard output', async () => {
    const env = { DATABASE_URL: database };
    const create = ['create-key', '--name', 'x', '--platform-id'];
    const refusals = [
      [],
      ['make-coffee'],
      ['create-key', '--colour', 'red'],
      [...create, '1000', '--scopes', 'servers:*'],
      [...create, '1000', '--scopes', '*', '--plan', 'GOLD'],
      [...create, 'nobody', '--scopes', '*'],
      ['revoke-key', '--key-id', someId],
      ['seed-members', '--server', someId, '--count', '1'],
      ['seed-members', '--server', someId, '--count', '-1'],
      ['verify-audit', '--user', 'nobody'],
    ];
    const linesOf = (text: string) => text.trim().split('\n');
    const oneThatSaysSomething = [expect.stringMatching(/\S/)];
    for (const args of refusals) {
      const lines = await runAdminCommand(args, env).then(
        () => [],
        (error) => linesOf(oneLine(error)),
      );
      expect({ args, lines }).toEqual({ args, lines: oneThatSaysSomething });
    }
    const said = await runAdmin(env, 'make-coffee');
    expect(said.stdout).toBe('');
    expect(linesOf(expectRefusal(said))).toEqual(oneThatSaysSomething);
    const sql = connectSql(database);
    expect(await sql`select id from accounts where platform_id = '1000'`).toHaveLength(0);
  });

  test('tells a broken audit chain by its exit code', async () => {
    const env = { DATABASE_URL: database };
    const { accountId } = await createKey(env.DATABASE_URL);
    const sql = connectSql(env.DATABASE_URL);
    await sql`update audit_entries set action = 'nothing' where account_id = ${accountId} and seq = 1`;
    const message = expectRefusal(await runAdmin(env, 'verify-audit', '--user', accountId));
    expect(message.trim().split('\n')).toHaveLength(1);
    expect(message).toContain('broken');
  });

  test('creates a second key for the same person, and audits a plan only when it changes', async () => {
    const env = { DATABASE_URL: database };
    const sql = connectSql(env.DATABASE_URL);
    const platformId = randomPlatformId();
    const plansAudited = async () => {
      const entries = await sql`
        select changes from audit_entries join accounts on accounts.id = account_id
        where action = 'plan.set' and platform_id = ${platformId} order by seq`;
      return entries.map(({ changes }: { changes: { plan: unknown } }) => changes.plan);
    };
    const first = await createKeyByCommand(env, { platformId, plan: 'PREMIUM' });
    const toPremium = { from: 'FREE', to: 'PREMIUM' };
    expect(await plansAudited()).toEqual([toPremium]);
    const second = await createKeyByCommand(env, { platformId, plan: 'PREMIUM' });
    expect(second.accountId).toBe(first.accountId);
    expect(second.key).not.toBe(first.key);
    expect(await plansAudited()).toEqual([toPremium]);
    await createKeyByCommand(env, { platformId, plan: 'BUSINESS' });
    const toBusiness = { from: 'PREMIUM', to: 'BUSINESS' };
    expect(await plansAudited()).toEqual([toPremium, toBusiness]);
  });
});
