import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { beginLogin, clientId, openProgram } from '../../../../test/harness/device-login.ts';
import {
  type Reply,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => service.stop());

const asking = '/oauth/device_authorization';
const fetching = '/oauth/token';
const grant = 'urn:ietf:params:oauth:grant-type:device_code';

const expectRefusal = ({ status, body, headers }: Reply, error: string, wanted = 400) => {
  expect([status, body.error]).toEqual([wanted, error]);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  // The characters that RFC 6749 allows.
  expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-type')).toStartWith('application/json');
};

describe.each([asking, fetching])('%s', (path) => {
  test.each<[string, BodyInit, Record<string, string>]>([
    ['nothing', '', {}],
    ['JSON', `{"client_id":"${clientId}"}`, { 'content-type': 'application/json' }],
    ['no type', `client_id=${clientId}`, { 'content-type': 'text/plain' }],
    [
      'another charset',
      `client_id=${clientId}`,
      { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' },
    ],
    ['a compressed body', 'x', { 'content-encoding': 'gzip' }],
    ['a large body', `client_id=${'x'.repeat(9000)}`, {}],
    ['a parameter twice', `client_id=${clientId}&client_id=${clientId}`, {}],
    ['broken percent signs', `client_id=${clientId}&a=%zz`, {}],
    ['percent-encoded bytes that are no UTF-8', `client_id=${clientId}&a=%ff`, {}],
    ['bytes that are no UTF-8', new Uint8Array([0x61, 0x3d, 0xff]), {}],
    ['NUL', `client_id=${clientId}&a=%00`, {}],
    ['a client without a name', 'client_id=', {}],
    ['only signs', '&=&===&&', {}],
    ['a page asked for', 'client_id=', { accept: 'text/html' }],
  ])('refuses %s', async (_, body, headers) => {
    expectRefusal(await openProgram(service).post(path, body, headers), 'invalid_request');
  });

  test('knows its client', async () => {
    const form = `client_id=another&grant_type=${encodeURIComponent(grant)}&device_code=x`;
    expectRefusal(await openProgram(service).post(path, form), 'invalid_client');
  });

  test('is not for pages of other sites', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3001', '']) {
      const reply = await openProgram(service).post(path, `client_id=${clientId}`, { origin });
      expectRefusal(reply, 'invalid_request', 403);
    }
    const own = { origin: 'http://localhost:3000' };
    const form = 'client_id=another&grant_type=x';
    expect((await openProgram(service).post(path, form, own)).status).toBe(400);
  });

  test('is only for POST', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await service.call(method, path)).status).toBe(404);
    }
  });
});

describe('asking', () => {
  test.each(['ads', 'servers:*', 'Servers:read', 'servers:read,bots:read', '"\\', 'é'])(
    'for the scope %s is refused',
    async (scope) => expectRefusal(await openProgram(service).ask({ scope }), 'invalid_scope'),
  );

  test.each([
    ['a line break', 'quay\nApproved by support'],
    ['an escape sequence', 'quay\u001b[2J'],
    ['text that runs the other way', 'quay\u202egnp'],
    ['what nobody sees', 'quay\u200b'],
    ['a line separator', 'quay\u2028'],
    ['nothing but a letter that is blank', '\u3164'],
    ['a blank syllable', 'quay\u115f\u1160'],
    ['the blank of Braille', '\u2800'],
    ['a selector of variants', 'quay\ufe0f'],
    ['a joiner of graphemes', 'quay\u034f'],
    ['a tag', 'quay\u{e0041}'],
    ['a character that there is not', 'quay\u{e01f0}'],
    ['nothing but marks', '\u0301\u0301'],
    ['marks that cover the lines above', `quay${'\u0336'.repeat(8)}`],
    ['too much', 'x'.repeat(65)],
  ])('with %s in the name of the machine is refused', async (_, name) => {
    expectRefusal(await openProgram(service).ask({ device_name: name }), 'invalid_request');
  });

  test('takes every name that can be seen, and ignores what it does not know', async () => {
    const names = ['<b>Holdfast</b>', '机'.repeat(64), '   ', "'; drop table", '🚢', 'Việt', 'ကြွီး'];
    for (const device_name of names) {
      const reply = await openProgram(service).ask({ device_name, __proto__: 'x', other: '1' });
      expect(reply.status).toBe(200);
    }
  });

  test('is bounded for each address, by those that wait and by the minute', async () => {
    const program = openProgram(service);
    const replies = await Promise.all(Array.from({ length: 14 }, () => program.ask()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = replies.filter(({ status }) => status !== 200);
    for (const reply of refused) expectRefusal(reply, 'slow_down', 429);
    expect(refused[0]?.headers.get('retry-after')).toBe('60');
    const { address } = program;
    await service.db.$client`update device_authorizations set expires_at = now()
      where address = ${address}`;
    const later = await Promise.all(Array.from({ length: 10 }, () => program.ask()));
    expect(later.filter(({ status }) => status === 200)).toHaveLength(6);
    expect((await openProgram(service).ask()).status).toBe(200);
  });

  test('counts all addresses of one IPv6 network as one', async () => {
    const statuses: number[] = [];
    for (let at = 1; at <= 11; at++) {
      statuses.push((await openProgram(service, `2001:db8:7:7::${at.toString(16)}`).ask()).status);
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });

  test('counts the networks of one IPv6 site together', async () => {
    const statusFrom = async (network: string) =>
      (await openProgram(service, `2001:db8:${network}::1`).ask()).status;
    const statuses = await Promise.all(
      Array.from({ length: 110 }, (_, at) => statusFrom(`8:${at}`)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await statusFrom('9:1')).toBe(200);
  });

  test('is refused to everybody while very many wait, and not where they have ended', async () => {
    const { $client: sql } = service.db;
    await sql`insert into device_authorizations (id, device_code_hash, user_code, address, network,
      scopes, interval_seconds, expires_at)
      select gen_random_uuid(), 'many-' || n, 'many-' || n, 'many', 'many-' || n, '{}', 5,
      now() + interval '5 minutes' from generate_series(1, 20000) n`;
    const ask = () => openProgram(service).ask();
    expectRefusal(await ask(), 'temporarily_unavailable', 503);
    await sql`update device_authorizations set status = 'DENIED' where address = 'many'`;
    expect((await ask()).status).toBe(200);
    await sql`update device_authorizations set status = 'PENDING', expires_at = now()
      where address = 'many'`;
    expect((await ask()).status).toBe(200);
    await sql`delete from device_authorizations where address = 'many'`;
  });
});

describe('fetching', () => {
  test('needs the grant of RFC 8628, and a device code', async () => {
    const program = openProgram(service);
    const wrong = { grant_type: 'client_credentials' };
    expectRefusal(await program.poll('x', wrong), 'unsupported_grant_type');
    expectRefusal(await program.poll('x', { grant_type: undefined }), 'invalid_request');
    expectRefusal(await program.poll(''), 'invalid_request');
  });

  test('with a code that nobody was given is refused', async () => {
    const { userCode } = await beginLogin(service);
    for (const code of ['x', 'a'.repeat(43), userCode, "' or 1=1 --", '\u{1f6a2}']) {
      expectRefusal(await openProgram(service).poll(code), 'invalid_grant');
    }
  });

  test('is bounded by the minute for each address', async () => {
    const program = openProgram(service);
    const replies = await Promise.all(Array.from({ length: 310 }, () => program.poll('')));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const reply of refused) expectRefusal(reply, 'slow_down', 429);
  });
});
