import { afterEach, describe, expect, test } from 'bun:test';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { expectBelow } from '../../../test/harness/bounds.ts';
import { Secret } from '../../kernel/secret.ts';
import { type FailureKind, PlatformFailure } from '../failures.ts';
import { createPlatformMetrics } from '../metrics.ts';
import { type BotClient, createBotClient } from './bot-client.ts';
import { createBreaker, onBehalfOf } from './breaker.ts';

/** A stranger that answers as the test wants it to: what a platform could do on its worst day. */
let stranger: ReturnType<typeof Bun.serve> | undefined;
let calls = 0;
afterEach(async () => {
  await stranger?.stop(true);
  calls = 0;
});

const clientOf = (
  answer: (call: number) => Response | Promise<Response>,
  { timeoutMs = 1000, breaker = createBreaker() } = {},
): BotClient => {
  stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => answer(++calls) });
  return createBotClient(new Secret('token'), {
    apiUrl: `http://127.0.0.1:${stranger.port}/api`,
    breaker,
    metrics: createPlatformMetrics(new Registry()),
    timeoutMs,
  });
};

const read = (client: BotClient, signal?: AbortSignal) =>
  client.call({ method: 'GET', path: '/users/@me', answer: z.object({ id: z.string() }), signal });

const failureOf = async (promise: Promise<unknown>): Promise<PlatformFailure> => {
  const error = await promise.then(
    () => new Error('It succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformFailure) return error;
  throw error;
};

const refusal = (status: number, code: number) => () =>
  Response.json({ message: 'no', code }, { status });

describe('a call', () => {
  test('returns its parsed answer, without unknown fields', async () => {
    const client = clientOf(() => Response.json({ id: '1', extra: true }));
    expect(await read(client)).toEqual({ id: '1' });
  });

  test.each<[number, number, FailureKind]>([
    [403, 50025, 'memberTokenInvalid'],
    [403, 40007, 'memberBanned'],
    [400, 30001, 'memberAtGuildCap'],
    [400, 30019, 'guildFull'],
    [403, 50013, 'missingPermission'],
    [403, 50001, 'noAccess'],
    [404, 10004, 'unknownGuild'],
    [404, 10013, 'unknownUser'],
    [400, 50035, 'refused'],
  ])('refused with %i and code %i fails as such, at the first try', async (status, code, kind) => {
    const failure = await failureOf(read(clientOf(refusal(status, code))));
    expect({ kind: failure.kind, code: failure.code, status: failure.status }).toEqual({
      kind,
      code,
      status,
    });
    expect(calls).toBe(1);
  });

  test('is tried again after a 5xx, and succeeds when the platform is back', async () => {
    const client = clientOf((call) =>
      call < 3 ? new Response('<html>502</html>', { status: 502 }) : Response.json({ id: '1' }),
    );
    expect(await read(client)).toEqual({ id: '1' });
    expect(calls).toBe(3);
  });

  test('waits as long as a 429 says, and continues', async () => {
    const client = clientOf((call) =>
      call === 1
        ? Response.json(
            { message: 'slow', retry_after: 0.2, global: false },
            { status: 429, headers: { 'Retry-After': '1', 'X-RateLimit-Scope': 'user' } },
          )
        : Response.json({ id: '1' }),
    );
    expect(await read(client)).toEqual({ id: '1' });
  });
});

describe('a hostile platform', () => {
  test.each<[string, () => Response]>([
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['HTML where JSON was promised', () => new Response('<html>')],
    ['another shape', () => Response.json({ id: 7 })],
    ['10 MB', () => new Response('x'.repeat(10 * 1024 * 1024))],
    ['10 MB that declare no length', () => new Response(endless(10))],
  ])('that answers with %s causes a typed failure', async (_, answer) => {
    const before = process.memoryUsage().rss;
    const failure = await failureOf(read(clientOf(answer)));
    expect(failure.kind).toBe('badAnswer');
    expectBelow((process.memoryUsage().rss - before) / 1024 / 1024, 40);
  });

  test('that asks to wait an hour is not waited for', async () => {
    const hour = { message: 'slow', retry_after: 3600, global: false };
    const headers = { 'Retry-After': '3600' };
    const client = clientOf(() => Response.json(hour, { status: 429, headers }));
    expect((await failureOf(read(client))).kind).toBe('rateLimited');
  });

  test('that hangs is given up within the time-outs', async () => {
    const client = clientOf(() => new Promise<Response>(() => undefined), { timeoutMs: 100 });
    expect((await failureOf(read(client))).kind).toBe('unreachable');
  });

  test('that hangs does not delay an abort of the caller', async () => {
    const client = clientOf(() => new Promise<Response>(() => undefined), { timeoutMs: 5000 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect((await failureOf(read(client, controller.signal))).kind).toBe('aborted');
  });
});

test('a bot is stopped at its first 401: not one further call goes out', async () => {
  const client = clientOf(refusal(401, 0));
  const kinds = [];
  for (let i = 0; i < 5; i++) kinds.push((await failureOf(read(client))).kind);
  expect(new Set(kinds)).toEqual(new Set(['botTokenDead']));
  expect(calls).toBe(1);
});

test('after too many refusals all bots stop, until those are ten minutes old', async () => {
  let now = 0;
  const breaker = createBreaker({ now: () => now, limit: 3 });
  const client = clientOf(refusal(403, 50001), { breaker });
  for (let i = 0; i < 5; i++) await failureOf(read(client));
  expect(calls).toBe(3);
  expect((await failureOf(read(client))).kind).toBe('breakerOpen');
  now = 11 * 60 * 1000;
  expect((await failureOf(read(client))).kind).toBe('noAccess');
});

test('refusals are charged to the account and the guild, and what is urgent has a reserve', async () => {
  const reserve = { limit: 20, accountShare: 2 };
  const breaker = createBreaker({ limit: 100, accountShare: 10, reserve });
  const client = clientOf(refusal(403, 50013), { breaker });
  const answered = async (account: string, guildId: string, isUrgent = false) => {
    const before = calls;
    const answer = z.object({});
    const ask = () => client.call({ method: 'GET', path: '/guilds', guildId, isUrgent, answer });
    for (let i = 0; i < 20; i++) await failureOf(onBehalfOf(account, ask));
    return calls - before;
  };
  expect(await answered('busy', '1')).toBe(8);
  expect(await answered('busy', '2')).toBe(2);
  expect(await answered('busy', '2', true)).toBe(2);
  expect(await answered('calm', '1')).toBe(8);
});

const endless = (megabytes: number): ReadableStream => {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent++ >= megabytes) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
};
