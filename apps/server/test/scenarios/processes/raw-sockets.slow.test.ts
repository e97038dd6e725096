// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer, newBotBody } from '../../harness/bots-and-servers.ts';
import { freshDatabase } from '../../harness/database.ts';
import {
  expectRefusedOrCut,
  openSocket,
  type RawAnswer,
  requestBytes,
  say,
  sayUntilClosed,
} from '../../harness/network/raw-socket.ts';
import {
  createKey,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
  timed,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let service: ServiceProcess;
let tenant: Tenant;
let hurried: Tenant;

beforeAll(async () => {
  const env = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile({ FREE: 2 }) };
  service = await startService({ ...env, ROLE: 'api' });
  tenant = tenantAt(service.url, await createKey(env.DATABASE_URL));
  hurried = tenantAt(
    service.url,
    await createKey(env.DATABASE_URL, { plan: 'FREE', scopes: ['servers:read'] }),
  );
});

afterAll(stopServices);

/** With the tenant's key. */
const bytes = (line: string, headers: string[] = [], body?: string): string =>
  requestBytes(line, [bearer(), ...headers], body);

const bearer = () => `Authorization: Bearer ${tenant.key}`;
const json = 'Content-Type: application/json';

const expectApiHeaders = ({ headers }: { headers: Headers }): void => {
  expect(headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('cache-control')).toBe('no-store');
};

describe('who is asking', () => {
  test('two Authorization headers are none, even when both carry the same good key', async () => {
    const [answer] = await say(service.url, bytes('GET /api/v1/account', [bearer()]));
    expect(answer?.status).toBe(401);
    expect(answer?.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('two Host headers are refused, equal or not', async () => {
    for (const host of ['localhost', 'evil.example']) {
      const twice = bytes('GET /api/v1/account', [`Host: ${host}`]);
      const [answer] = await sayUntilClosed(service.url, twice);
      expect(answer?.status).toBe(400);
    }
  });

  test('a target that names another host is answered as for our own', async () => {
    const target = 'http://evil.example/api/v1/account';
    const [answer] = await say(service.url, bytes(`GET ${target}`));
    expect(answer?.status).toBe(200);
    expect(answer?.body).not.toContain('evil.example');
    const [keyless] = await say(service.url, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(keyless?.status).toBe(401);
  });
});

describe('what is asked', () => {
  test('OPTIONS, TRACE and CONNECT on an API path find no route', async () => {
    for (const method of ['OPTIONS', 'TRACE', 'CONNECT']) {
      const [answer] = await say(service.url, bytes(`${method} /api/v1/account`));
      expect({ method, status: answer?.status }).toEqual({ method, status: 404 });
      expectApiHeaders(answer as RawAnswer);
      expect(answer?.body).not.toContain(tenant.key);
    }
  });

  test('CONNECT to another host opens no tunnel', async () => {
    expectRefusedOrCut(await say(service.url, bytes('CONNECT evil.example:443')));
  });

  test('a method that nobody knows is refused or cut off', async () => {
    expectRefusedOrCut(await say(service.url, bytes('BREW /api/v1/account')));
  });

  test('HEAD is answered like GET, without the body', async () => {
    const socket = await openSocket(service.url);
    socket.write(bytes('HEAD /api/v1/account', ['Connection: close']));
    await socket.closed;
    expect(socket.received()).toStartWith('HTTP/1.1 200 OK\r\n');
    expect(socket.received()).toEndWith('\r\n\r\n');
    expect(socket.received().split('\r\n\r\n')).toHaveLength(2);
    for (const name of ['x-ratelimit-limit', 'x-request-id', 'cache-control', 'content-type']) {
      expect(socket.received().toLowerCase()).toContain(`\r\n${name}: `);
    }
  });

  // The runtime cuts a connection off that pipelines; what matters is that answers never mix.
  test('requests sent ahead of their answers are never answered out of order', async () => {
    const paths = ['account', 'nothing', 'servers', 'bots'];
    const ahead = paths.map((path) => bytes(`GET /api/v1/${path}`)).join('');
    const answers = await say(service.url, ahead, paths.length);
    const inOrder = [200, 404, 200, 200].slice(0, answers.length);
    expect(answers.map(({ status }) => status)).toEqual(inOrder);
  });
});

describe('where one request ends and the next begins', () => {
  const smuggled = () => {
    const body = JSON.stringify(newBotBody({ name: 'Smuggled' }));
    return bytes('POST /api/v1/bots', [json, `Content-Length: ${body.length}`], body);
  };
  const framings: Record<string, string[]> = {
    'Content-Length before Transfer-Encoding': ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    'Transfer-Encoding before Content-Length': ['Transfer-Encoding: chunked', 'Content-Length: 5'],
    'an unknown Transfer-Encoding': ['Transfer-Encoding: xchunked'],
    'a Transfer-Encoding that only looks chunked': ['Transfer-Encoding : chunked'],
    'two different Content-Length': ['Content-Length: 5', 'Content-Length: 900'],
    'a negative Content-Length': ['Content-Length: -5'],
    'a Content-Length that is no number': ['Content-Length: 5x'],
  };

  for (const [framing, headers] of Object.entries(framings)) {
    test(`${framing}: closed, and what hides behind it is never run`, async () => {
      const outer = bytes('POST /api/v1/bots', [json, ...headers], '0\r\n\r\n');
      expectRefusedOrCut(await sayUntilClosed(service.url, outer + smuggled()));
      const { body } = await tenant.call('GET', '/api/v1/bots');
      expect(body.data).toEqual([]);
    });
  }

  test('NUL in a header or in the path is refused', async () => {
    expectRefusedOrCut(await say(service.url, bytes('GET /api/v1/account', ['X-Odd: a\0b'])));
    expectRefusedOrCut(await say(service.url, bytes('GET /api/v1/acc\0ount')));
  });

  test('a header or a path of 100 kB is refused', async () => {
    const long = 'a'.repeat(100_000);
    for (const text of [
      bytes('GET /api/v1/account', [`X-Long: ${long}`]),
      bytes(`GET /api/v1/${long}`),
      bytes('GET /api/v1/account', Array(2000).fill('X-Many: a')),
    ]) {
      const [answer] = await sayUntilClosed(service.url, text);
      expect([400, 431]).toContain(answer?.status ?? 0);
    }
  });
});

describe('bodies that are too large', () => {
  test('a declared gigabyte is refused at once, unread', async () => {
    const before = memoryOf(service.pid);
    const head = bytes('POST /api/v1/bots', [json, 'Content-Length: 1000000000'], '{"name":"');
    const refuse = () => timed(() => sayUntilClosed(service.url, head));
    for (const { result, tookMs } of await Promise.all(Array.from({ length: 20 }, refuse))) {
      expect(result[0]?.status).toBe(400);
      expect(tookMs).toBeLessThan(8000);
    }
    expect(memoryOf(service.pid) - before).toBeLessThan(30);
  });

  const endless = {
    'where a body is read': 'POST /api/v1/bots',
    'where none is asked for': 'GET /api/v1/account',
    'where there is no route': 'POST /api/v1/nothing',
  };
  for (const [where, line] of Object.entries(endless)) {
    test(`an endless chunked body is cut off ${where}, and costs no memory`, async () => {
      const before = memoryOf(service.pid);
      const socket = await openSocket(service.url);
      socket.write(bytes(line, [json, 'Transfer-Encoding: chunked']));
      let sentMiB = 0;
      while (!socket.isClosed() && sentMiB < 64) {
        socket.write(`100000\r\n${'a'.repeat(1024 * 1024)}\r\n`);
        sentMiB++;
        await Promise.race([socket.closed, Bun.sleep(15)]);
      }
      socket.destroy();
      expect(sentMiB).toBeLessThan(64);
      expect(memoryOf(service.pid) - before).toBeLessThan(30);
    });
  }

  test('a chunked body of more than 256 KiB is refused with 400', async () => {
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`;
    const head = bytes('POST /api/v1/bots', [json, 'Transfer-Encoding: chunked']);
    const [answer] = await say(service.url, `${head}${chunk.repeat(8)}1\r\na\r\n0\r\n\r\n`);
    expect(answer?.status).toBe(400);
    expect(answer?.body).toContain('256 KiB');
    const [within] = await say(service.url, `${head}${chunk.repeat(8)}0\r\n\r\n`);
    expect(within?.body).toContain('not valid JSON');
  });

  const memoryOf = (pid: number): number => {
    const { stdout } = Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]);
    return Number(stdout.toString()) / 1024;
  };
});

describe('every answer below /api/v1', () => {
  test('carries the rate limit, a request id and no-store, whatever its status', async () => {
    const serverId = await createServer(tenant);
    const rule = { type: 'COUNTRY', value: 'FR' };
    const rules = `/api/v1/servers/${serverId}/firewall`;
    const stranger = { headers: { authorization: 'Bearer nobody' } };
    const replies = [
      await tenant.call('GET', '/api/v1/account'),
      await tenant.call('HEAD', '/api/v1/account'),
      await tenant.call('POST', rules, { body: rule }),
      await tenant.call('POST', rules, { body: rule }),
      await tenant.call('POST', rules, { raw: '{' }),
      await tenant.call('POST', rules, { raw: 'a'.repeat(300_000) }),
      await tenant.call('POST', rules, { body: rule, headers: { 'idempotency-key': 'é' } }),
      await tenant.call('GET', '/api/v1/servers?page=0'),
      await tenant.call('GET', '/api/v1'),
      await tenant.call('GET', '/api/v1/'),
      await tenant.call('GET', '/api/v1/nothing'),
      await tenant.call('GET', '/api/v1/servers/%ff%00'),
      await tenant.call('PATCH', '/api/v1/account'),
      await tenant.call('GET', '/api/v1/account', stranger),
      await request(service.url, 'POST', '/api/v1/nothing'),
      await hurried.call('GET', '/api/v1/servers'),
      await hurried.call('GET', '/api/v1/account'),
      await hurried.call('GET', '/api/v1/servers'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([
      ...[200, 200, 201, 409, 400, 400, 400, 400, 404, 404, 404, 400, 404, 401, 401],
      ...[200, 403, 429],
    ]);
    for (const reply of replies) expectApiHeaders(reply);
    const ids = replies.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(replies.length);
  });
});
