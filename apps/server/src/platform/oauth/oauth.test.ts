import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type Simulator, startSimulator } from '@holdfast/simulator';
import { Registry } from 'prom-client';
import { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../failures.ts';
import { createPlatformMetrics } from '../metrics.ts';
import { createPlatformOAuth } from './oauth.ts';
import type { OAuthAttempt, TokenPair } from './port.ts';

const client = {
  clientId: '900000000000000001',
  // Characters that a header would have to encode.
  clientSecret: new Secret('a-secret_of~the client'),
};
const stranger = { clientId: '900000000000000002', clientSecret: new Secret('another') };
const redirectUri = 'https://service.example/callback';
const userId = '224716394085220352';
const weekMs = 7 * 86_400_000;

let simulator: Simulator;
const registry = new Registry();
const metrics = createPlatformMetrics(registry);
const open = (url = simulator.url) =>
  createPlatformOAuth({ apiUrl: `${url}/api`, metrics, timeoutMs: 1000 });
const control = (method: string, path: string, body?: unknown) =>
  fetch(`${simulator.url}/__sim${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  simulator = await startSimulator({ port: 0 });
});
afterAll(() => simulator.stop());
afterEach(async () => {
  await control('DELETE', '/faults');
  await control('DELETE', '/log');
  await control('PUT', '/oauth', { tokenLifeMs: weekMs });
});

/** A person's browser goes to the page, agrees, and comes back. */
const agree = async (attempt: OAuthAttempt, scopes = ['identify', 'guilds.join']) => {
  const { state, codeChallenge } = attempt;
  const { clientId } = client;
  const page = open().authorizeUrl({ clientId, redirectUri, scopes, state, codeChallenge });
  const answer = await fetch(`${page}&sim_user=${userId}`, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams;
};

const exchange = (code: string, codeVerifier: string, ids = client) =>
  open().exchangeCode({ ...ids, redirectUri, code, codeVerifier });

const signIn = async (scopes?: string[]): Promise<TokenPair> => {
  const attempt = await open().newAttempt();
  const back = await agree(attempt, scopes);
  return exchange(back.get('code') ?? '', attempt.codeVerifier);
};

const failureOf = async (promise: Promise<unknown>): Promise<PlatformFailure> => {
  const error = await promise.then(
    () => new Error('It succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformFailure) return error;
  throw error;
};
const kindOf = async (promise: Promise<unknown>) => (await failureOf(promise)).kind;

const refresh = ({ refreshToken }: TokenPair, ids = client) =>
  open().refresh({ ...ids, refreshToken });
const tokenCalls = async (): Promise<number> => {
  // The simulator's log, whose shape its own tests check.
  const rows = (await (await control('GET', '/log')).json()) as { path: string }[];
  return rows.filter(({ path }) => path === '/oauth2/token').length;
};

describe('signing in', () => {
  test('sends people to a page outside the API’s root', () => {
    const request = { clientId: '1', redirectUri, scopes: ['identify', 'email'], state: 's' };
    const url = new URL(
      open('https://discord.com').authorizeUrl({ ...request, codeChallenge: 'c', prompt: 'none' }),
    );
    expect(url.origin + url.pathname).toBe('https://discord.com/oauth2/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: '1',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'identify email',
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
      prompt: 'none',
    });
  });

  test('is never the same attempt twice, and each has 256 bits', async () => {
    const attempts = await Promise.all(Array.from({ length: 100 }, open().newAttempt));
    const secrets = attempts.flatMap(({ state, codeVerifier }) => [state, codeVerifier]);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  test('returns tokens that identify the person, and the state', async () => {
    const attempt = await open().newAttempt();
    const back = await agree(attempt, ['identify', 'email', 'guilds']);
    expect(back.get('state')).toBe(attempt.state);
    const pair = await exchange(back.get('code') ?? '', attempt.codeVerifier);
    expect(pair.scopes).toEqual(['identify', 'email', 'guilds']);
    expect(Math.abs(pair.expiresAt.getTime() - Date.now() - weekMs)).toBeLessThan(60_000);
    expect(await open().readCurrentUser(pair.accessToken)).toEqual({
      id: userId,
      username: 'quiet.heron',
      displayName: 'Quiet Heron',
      avatarHash: expect.stringMatching(/^[0-9a-f]{32}$/),
      email: `${userId}@example.test`,
      locale: 'en-US',
    });
  });

  test('returns no address without the scope for it', async () => {
    const { accessToken } = await signIn(['identify']);
    expect((await open().readCurrentUser(accessToken)).email).toBeNull();
  });

  test('needs the verifier of the same attempt', async () => {
    const [mine, other] = [await open().newAttempt(), await open().newAttempt()];
    const code = (await agree(mine)).get('code') ?? '';
    expect(await kindOf(exchange(code, other.codeVerifier))).toBe('grantRevoked');
  });

  test('takes a code once, and only of the application it was made for', async () => {
    const attempt = await open().newAttempt();
    const code = (await agree(attempt)).get('code') ?? '';
    expect(await kindOf(exchange(code, attempt.codeVerifier, stranger))).toBe('grantRevoked');
    await exchange(code, attempt.codeVerifier);
    expect(await kindOf(exchange(code, attempt.codeVerifier))).toBe('grantRevoked');
  });

  test('fails as the application when its secret is wrong', async () => {
    const pair = await signIn();
    const failure = await failureOf(refresh(pair, { ...client, clientSecret: new Secret('x') }));
    expect([failure.kind, failure.status]).toEqual(['clientRefused', 401]);
  });
});

describe('a pair of tokens', () => {
  test('is valid again after a refresh', async () => {
    await control('PUT', '/oauth', { tokenLifeMs: 0 });
    const old = await signIn();
    expect(await kindOf(open().readCurrentUser(old.accessToken))).toBe('memberTokenInvalid');
    await control('PUT', '/oauth', { tokenLifeMs: weekMs });
    const fresh = await refresh(old);
    expect((await open().readCurrentUser(fresh.accessToken)).id).toBe(userId);
    expect(fresh.expiresAt.getTime()).toBeGreaterThan(old.expiresAt.getTime());
  });

  test('is invalid once it was rotated', async () => {
    const old = await signIn();
    await refresh(old);
    expect(await kindOf(refresh(old))).toBe('grantRevoked');
  });

  test('is invalid once it was revoked, by either token, and may be revoked again', async () => {
    for (const which of ['accessToken', 'refreshToken'] as const) {
      const pair = await signIn();
      await open().revoke({ ...client, token: pair[which] });
      await open().revoke({ ...client, token: pair[which] });
      expect(await kindOf(refresh(pair))).toBe('grantRevoked');
      expect(await kindOf(open().readCurrentUser(pair.accessToken))).toBe('memberTokenInvalid');
    }
  });

  test('is not revoked by another application', async () => {
    const pair = await signIn();
    await failureOf(open().revoke({ ...stranger, token: pair.accessToken }));
    expect((await open().readCurrentUser(pair.accessToken)).id).toBe(userId);
  });
});

test('every server of a person is found, however many pages they fill', async () => {
  const guildIds = Array.from({ length: 401 }, (_, i) => `${300000000000000000n + BigInt(i)}`);
  await control('PUT', `/users/${userId}`, { guildIds });
  const { accessToken } = await signIn(['identify', 'guilds']);
  expect(await open().readCurrentUserGuilds(accessToken)).toEqual(guildIds);
  await control('PUT', `/users/${userId}`, { guildIds: guildIds.slice(0, 200) });
  expect(await open().readCurrentUserGuilds(accessToken)).toHaveLength(200);
});

describe('a platform in trouble', () => {
  const tokenRoute = { method: 'POST', route: '/oauth2/token' };

  test.each([
    ['answers with 503', { action: 'status', status: 503 }],
    ['cuts the connection', { action: 'reset' }],
    ['cuts it after the tokens were rotated', { action: 'reset', when: 'afterApply' }],
    ['says invalid_grant with a 500', { status: 500, body: { error: 'invalid_grant' } }],
    ['hangs', { action: 'hang' }],
  ])('that %s never means revoked, and is not called twice', async (_, fault) => {
    const pair = await signIn();
    await control('DELETE', '/log');
    await control('POST', '/faults', { match: tokenRoute, times: 9, action: 'status', ...fault });
    expect(await kindOf(refresh(pair))).toBe('unreachable');
    expect(await tokenCalls()).toBe(1);
  });

  test('that refuses connections is unreachable, and is called again: the request was not received', async () => {
    const other = await startSimulator({ port: 0 });
    const oauth = createPlatformOAuth({ apiUrl: `${other.url}/api`, metrics });
    const pair = await signIn();
    await other.stop();
    const waiting = oauth.refresh({ ...client, refreshToken: pair.refreshToken });
    await Bun.sleep(200);
    const back = await startSimulator({ port: Number(new URL(other.url).port) });
    expect((await waiting).scopes).toEqual(pair.scopes);
    await back.stop();
    expect(await kindOf(oauth.revoke({ ...client, token: pair.accessToken }))).toBe('unreachable');
  });

  test('that has recovered meanwhile answers a repeated read', async () => {
    const { accessToken } = await signIn();
    const match = { method: 'GET', route: '/users/@me' };
    await control('POST', '/faults', { match, times: 2, action: 'status', status: 502 });
    expect((await open().readCurrentUser(accessToken)).id).toBe(userId);
  });
});

test('calls are counted by route and outcome, without a word of what they carried', async () => {
  await signIn();
  const text = await registry.metrics();
  expect(text).toContain('route="POST /oauth2/token",status="200"');
  expect(text).toContain('route="GET /users/@me",status="401"');
});
