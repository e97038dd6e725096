import { afterEach, describe, expect, test } from 'bun:test';
import { inspect } from 'node:util';
import { Registry } from 'prom-client';
import { createLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { createBreaker } from '../client/breaker.ts';
import { type FailureKind, PlatformFailure } from '../failures.ts';
import { createPlatformMetrics } from '../metrics.ts';
import { createPlatformOAuth } from './oauth.ts';
import type { PlatformOAuth } from './port.ts';

/** A stranger that answers as the test wants it to: what a platform could do on its worst day. */
let stranger: ReturnType<typeof Bun.serve> | undefined;
let calls = 0;
afterEach(async () => {
  await stranger?.stop(true);
  calls = 0;
});

type Answer = (request: Request) => Response | Promise<Response>;

const against = (
  answer: Answer,
  { breaker = createBreaker(), timeoutMs = 60_000 } = {},
): PlatformOAuth => {
  stranger = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      calls += 1;
      return answer(request);
    },
  });
  const metrics = createPlatformMetrics(new Registry());
  const apiUrl = `http://127.0.0.1:${stranger.port}/api`;
  return createPlatformOAuth({ apiUrl, metrics, breaker, timeoutMs });
};

const canary = 'canary';
const client = { clientId: '900000000000000001', clientSecret: new Secret(`${canary}-secret`) };
const token = new Secret(`${canary}-token`);
const codeWish = {
  ...client,
  redirectUri: 'https://service.example/callback',
  code: `${canary}-code`,
  codeVerifier: canary.repeat(8),
};

const everyCall: [string, (oauth: PlatformOAuth) => Promise<unknown>][] = [
  ['exchanging a code', (oauth) => oauth.exchangeCode(codeWish)],
  ['refreshing', (oauth) => oauth.refresh({ ...client, refreshToken: token })],
  ['revoking', (oauth) => oauth.revoke({ ...client, token })],
  ['reading the person', (oauth) => oauth.readCurrentUser(token)],
  ['reading their servers', (oauth) => oauth.readCurrentUserGuilds(token)],
  ['reading the servers that they manage', (oauth) => oauth.readManagedGuilds(token)],
];
const tokenTaking = everyCall.slice(0, 2);
const readings = everyCall.slice(3);

const failureOf = async (promise: Promise<unknown>): Promise<PlatformFailure> => {
  const error = await promise.then(
    () => new Error('It succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformFailure) return error;
  throw error;
};
const refresh = (answer: Answer) =>
  failureOf(against(answer).refresh({ ...client, refreshToken: token }));

const html = (status: number) =>
  new Response('<html>', { status, headers: { 'content-type': 'text/html' } });
const pairBody = {
  token_type: 'Bearer',
  access_token: `${canary}-access`,
  refresh_token: `${canary}-refresh`,
  expires_in: 604800,
  scope: 'identify',
};

describe.each([...tokenTaking, ...readings])('%s', (_, call) => {
  test.each<[string, () => Response]>([
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['HTML', () => html(200)],
    ['HTML that calls itself a refusal', () => html(403)],
    ['a text', () => Response.json(canary)],
    ['nothing', () => new Response(null, { status: 204 })],
    ['10 MB', () => new Response('x'.repeat(10 * 1024 * 1024))],
  ])('answered with %s fails as a bad answer, at the first try', async (_, answer) => {
    expect((await failureOf(call(against(answer)))).kind).toBe('badAnswer');
    expect(calls).toBe(1);
  });
});

test.each<[string, object]>([
  ['no refresh token', { ...pairBody, refresh_token: undefined }],
  ['an empty access token', { ...pairBody, access_token: '' }],
  ['another kind of token', { ...pairBody, token_type: 'mac' }],
  ['tokens bound to a key that we do not have', { ...pairBody, token_type: 'DPoP' }],
  ['an end before the beginning', { ...pairBody, expires_in: -1 }],
  ['an end beyond all dates', { ...pairBody, expires_in: 1e300 }],
  ['no end', { ...pairBody, expires_in: undefined }],
  ['scopes in a list', { ...pairBody, scope: ['identify'] }],
])('an answer with %s is a bad answer', async (_, body) => {
  expect((await refresh(() => Response.json(body))).kind).toBe('badAnswer');
});

describe('a refusal', () => {
  test.each<[number, object, FailureKind]>([
    [400, { error: 'invalid_grant' }, 'grantRevoked'],
    [401, { error: 'invalid_client' }, 'clientRefused'],
    [400, { error: 'invalid_client' }, 'clientRefused'],
    [400, { error: 'invalid_request' }, 'refused'],
    [400, { error: 'unauthorized_client' }, 'refused'],
    [400, { message: '400: Bad Request', code: 0 }, 'refused'],
    [401, { message: '401: Unauthorized', code: 0 }, 'refused'],
    [403, { message: 'invalid_grant', code: 40333 }, 'refused'],
    [404, { message: '404: Not Found', code: 0 }, 'refused'],
  ])('of a refresh by %i and %j fails as such', async (status, body, kind) => {
    const plain = await refresh(() => Response.json(body, { status }));
    expect([plain.kind, plain.status]).toEqual([kind, status]);
    await stranger?.stop(true);
    const headers = { 'WWW-Authenticate': 'Basic realm="oauth2"' };
    const challenged = await refresh(() => Response.json(body, { status, headers }));
    expect([challenged.kind, challenged.status]).toEqual([kind, status]);
    expect(calls).toBe(2);
  });

  test.each<[number, number, FailureKind]>([
    [401, 0, 'memberTokenInvalid'],
    [403, 50025, 'memberTokenInvalid'],
    [403, 50001, 'noAccess'],
    [400, 50035, 'refused'],
  ])('of a reading by %i and code %i concerns only that person', async (status, code, kind) => {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    const oauth = against(() => Response.json({ message: '', code }, { status, headers }));
    expect((await failureOf(oauth.readCurrentUser(token))).kind).toBe(kind);
    expect(calls).toBe(1);
  });
});

test.each([true, false, null, undefined])(
  'an address is kept only where it is verified: %p',
  async (verified) => {
    const email = 'ada@example.com';
    const oauth = against(() => Response.json({ id: '1', username: 'a', email, verified }));
    expect((await oauth.readCurrentUser(token)).email).toBe(verified ? email : null);
  },
);

describe('a 429', () => {
  const wait = (seconds: string) =>
    new Response('{}', { status: 429, headers: { 'Retry-After': seconds } });

  test('is passed on to a request for tokens, with its time', async () => {
    const failure = await refresh(() => wait('3'));
    expect([failure.kind, failure.retryAfterMs]).toEqual(['rateLimited', 3000]);
    expect(calls).toBe(1);
  });

  test('with a short time is waited for by a read', async () => {
    const user = { id: '1', username: 'a' };
    const oauth = against(() => (calls < 2 ? wait('0.1') : Response.json(user)));
    expect(await oauth.readCurrentUser(token)).toMatchObject({ ...user, email: null });
  });

  test.each(['3600', 'soon', '-1'])('that says %s is not waited for', async (seconds) => {
    const failure = await failureOf(against(() => wait(seconds)).readCurrentUser(token));
    expect(failure.kind).toBe('rateLimited');
    expect(calls).toBe(1);
  });
});

test('a list of servers that never ends is a bad answer', async () => {
  const page = Array.from({ length: 200 }, (_, i) => ({ id: `${i + 1}` }));
  const oauth = against(() => Response.json(page));
  expect((await failureOf(oauth.readCurrentUserGuilds(token))).kind).toBe('badAnswer');
});

test('after too many refusals no more calls are sent', async () => {
  const oauth = against(() => Response.json({ error: 'invalid_client' }, { status: 401 }), {
    breaker: createBreaker({ limit: 2 }),
  });
  const kinds = [];
  for (const [, call] of everyCall) kinds.push((await failureOf(call(oauth))).kind);
  expect(kinds.slice(2)).toEqual(everyCall.slice(2).map(() => 'breakerOpen'));
  expect(calls).toBe(2);
});

test('a platform that hangs is given up within the time-outs, and names no secret', async () => {
  const failure = await failureOf(
    against(() => new Promise<Response>(() => undefined), { timeoutMs: 500 }).readCurrentUser(
      token,
    ),
  );
  expect(failure.kind).toBe('unreachable');
  expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(canary);
});

describe.each(everyCall)('%s keeps its secrets', (_, call) => {
  const { refresh_token: _refresh, ...half } = pairBody;
  test.each<[string, Answer]>([
    ['the platform sends everything back as a refusal', echoAs(400)],
    ['the platform sends everything back as a challenge', echoAs(401)],
    ['the platform sends everything back as no JSON', echoAs(200, 'text/plain')],
    ['the tokens come in a wrong shape', () => Response.json({ ...half, expires_in: 'x' })],
    ['the tokens come half', () => Response.json(half)],
    ['the tokens come bare', () => new Response(`${canary}x y`)],
  ])('when %s', async (_, answer) => {
    const outcome = await call(against(answer)).catch((reason: unknown) => reason);
    const lines: string[] = [];
    createLog({ write: (line) => lines.push(line) }).error({ err: outcome });
    const seen = [inspect(outcome, { depth: 10, showHidden: true }), ...lines];
    expect(`${seen} ${JSON.stringify(outcome)} ${Bun.inspect(outcome)}`).not.toContain(canary);
  });
});

/** A hoisted function: the table above is made before anything below it. */
function echoAs(status: number, type = 'application/json'): Answer {
  return async (request) => {
    const said = `${request.headers.get('authorization')} ${await request.text()}`;
    const body = JSON.stringify({ error: said, error_description: said, message: said, code: 0 });
    const headers = { 'content-type': type };
    const challenge = { 'WWW-Authenticate': `Basic realm="${encodeURIComponent(said)}"` };
    const text = status === 200 ? said : body;
    return new Response(text, {
      status,
      headers: { ...headers, ...(status === 401 && challenge) },
    });
  };
}
