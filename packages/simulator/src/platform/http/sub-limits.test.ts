import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { RateLimitError, REST, Routes } from 'discord.js';
import {
  answerOf,
  botToken,
  freshId,
  HUGE_LIMITS,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';
import { drawDiscPng } from '../cdn/png.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => setSystemTime());
afterAll(() => simulator.stop());

const HOUR_MS = 3_600_000;
const setLimits = (limits: object) =>
  simulator.control('PUT', '/limits', { ...HUGE_LIMITS, ...limits });

const scopeOf = (response: Response) => response.headers.get('x-ratelimit-scope');

test('a guild may make only so many roles, channels and emoji in hours, whichever bot asks', async () => {
  const quota = { limit: 2, perMs: 48 * HOUR_MS };
  await setLimits({ quotas: { roles: quota, channels: quota, emojis: quota } });
  setSystemTime(new Date());
  const image = `data:image/png;base64,${drawDiscPng(8, 1).toString('base64')}`;
  for (const [path, body] of [
    ['roles', { name: 'x' }],
    ['channels', { name: 'x' }],
    ['emojis', { name: 'xx', image }],
  ] as const) {
    const guildId = freshId();
    const make = (token?: string) =>
      simulator.call('POST', `/guilds/${guildId}/${path}`, body, token);
    expect((await make()).ok).toBe(true);
    // What is refused makes nothing, and so does not count.
    expect((await simulator.call('POST', `/guilds/${guildId}/${path}`, { name: 5 })).status).toBe(
      400,
    );
    expect((await make('another')).ok).toBe(true);
    const refused = await make();
    expect([refused.status, scopeOf(refused)]).toEqual([429, 'shared']);
    // The bucket itself is far from empty.
    expect(Number(refused.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(1000);
    expect(Number(refused.headers.get('retry-after'))).toBe(48 * 3600);
    const { retry_after, global } = await refused.json();
    expect([retry_after, global]).toEqual([48 * 3600, false]);
    expect((await simulator.call('POST', `/guilds/${freshId()}/${path}`, body)).ok).toBe(true);
    setSystemTime(new Date(Date.now() + 48 * HOUR_MS));
    expect((await make()).ok).toBe(true);
  }
});

test('a ban list that is read too often is refused with its own code', async () => {
  await setLimits({ quotas: { banFetches: { limit: 1, perMs: HOUR_MS } } });
  const path = `/guilds/${freshId()}/bans`;
  expect((await simulator.call('GET', path)).status).toBe(200);
  const refused = await simulator.call('GET', path);
  expect([refused.status, (await refused.json()).code]).toEqual([400, 30037]);
});

test('a field can have a limit of its own beside the bucket', async () => {
  const rename = { limit: 2, perMs: 10 * 60_000, fields: ['name', 'topic'] };
  await setLimits({ subLimits: { 'PATCH /channels/:id': rename } });
  const guildId = freshId();
  const made = await simulator.call('POST', `/guilds/${guildId}/channels`, { name: 'x' });
  const { id } = await made.json();
  const edit = (body: object) => simulator.call('PATCH', `/channels/${id}`, body);
  await edit({ name: 'a' });
  await edit({ topic: 'b' });
  const refused = await edit({ name: 'c' });
  expect([refused.status, scopeOf(refused)]).toEqual([429, 'user']);
  expect((await edit({ nsfw: true })).status).toBe(200);
});

test('the webhooks of one channel share its limit for messages', async () => {
  const perMinute = { limit: 3, perMs: 60_000 };
  await setLimits({ subLimits: { 'POST /webhooks/:id/:id': perMinute } });
  const guildId = freshId();
  const { id } = await (
    await simulator.call('POST', `/guilds/${guildId}/channels`, { name: 'x' })
  ).json();
  const makeHook = async () =>
    (await simulator.call('POST', `/channels/${id}/webhooks`, { name: 'Relay' })).json();
  const [a, b] = [await makeHook(), await makeHook()];
  const say = (hook: { id: string; token: string }) =>
    fetch(`${simulator.api}/v10/webhooks/${hook.id}/${hook.token}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"content":"Hello"}',
    });
  for (const hook of [a, b, a]) expect((await say(hook)).status).toBe(204);
  const refused = await say(b);
  expect([refused.status, scopeOf(refused)]).toEqual([429, 'shared']);
});

test('a shared bucket counts all bots together', async () => {
  const shared = { limit: 2, perMs: 60_000, scope: 'shared' };
  await setLimits({ routes: { 'GET /guilds/:id/roles': shared } });
  const path = `/guilds/${freshId()}/roles`;
  expect((await simulator.call('GET', path)).status).toBe(200);
  expect((await simulator.call('GET', path, undefined, 'another')).status).toBe(200);
  const refused = await simulator.call('GET', path, undefined, 'a third');
  expect([refused.status, scopeOf(refused)]).toEqual([429, 'shared']);
});

test('calls of users and of webhooks have buckets and headers too', async () => {
  await simulator.control('PUT', '/limits', { default: { limit: 2, perMs: 60_000 } });
  const userId = freshId();
  const { access_token } = await simulator.control('POST', '/tokens', {
    clientId: freshId(),
    userId,
    scopes: ['identify'],
  });
  const me = () =>
    fetch(`${simulator.api}/v10/users/@me`, {
      headers: { Authorization: `Bearer ${access_token}` },
    });
  expect((await me()).headers.get('x-ratelimit-remaining')).toBe('1');
  await me();
  expect((await me()).status).toBe(429);
  const { id } = await (
    await simulator.call('POST', `/guilds/${freshId()}/channels`, { name: 'x' })
  ).json();
  const hook = await (
    await simulator.call('POST', `/channels/${id}/webhooks`, { name: 'Relay' })
  ).json();
  const said = await fetch(`${simulator.api}/v10/webhooks/${hook.id}/${hook.token}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"content":"Hello"}',
  });
  expect([said.status, said.headers.get('x-ratelimit-remaining')]).toEqual([204, '1']);
});

test('the usual client takes a quota for a limit beside the bucket, and tells how long', async () => {
  await setLimits({ quotas: { roles: { limit: 1, perMs: HOUR_MS } } });
  const rest = new REST({ api: simulator.api, version: '10', rejectOnRateLimit: () => true });
  rest.setToken(botToken());
  const guildId = freshId();
  await answerOf(rest.post(Routes.guildRoles(guildId), { body: { name: 'x' } }));
  const second = rest.post(Routes.guildRoles(guildId), { body: { name: 'y' } });
  const refusal = await second.catch((error: unknown) => error);
  if (!(refusal instanceof RateLimitError)) throw new Error('The client was not refused.');
  expect(refusal.scope).toBe('shared');
  expect(refusal.sublimitTimeout).toBeGreaterThan(HOUR_MS - 60_000);
});

test('a fault can set headers, of its own answer and of the real one', async () => {
  await setLimits({});
  const guildId = freshId();
  const path = `/guilds/${guildId}/roles`;
  const match = { route: 'GET /guilds/:id/roles', guildId };
  const headers = { 'Retry-After': '3600', 'X-RateLimit-Scope': 'shared' };
  const body = { message: 'You are being rate limited.', retry_after: 3600, global: false };
  await simulator.control('POST', '/faults', {
    ...{ match, action: 'status', status: 429, body, headers },
  });
  const refused = await simulator.call('GET', path);
  expect([refused.status, refused.headers.get('retry-after'), scopeOf(refused)]).toEqual([
    429,
    '3600',
    'shared',
  ]);
  for (const when of ['before', 'afterApply']) {
    await simulator.control('POST', '/faults', {
      ...{ match, when, action: 'delay', headers: { 'X-RateLimit-Remaining': '0' } },
    });
    const answered = await simulator.call('GET', path);
    expect([answered.status, answered.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
  }
});
