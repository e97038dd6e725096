import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { REST, RESTEvents, Routes } from 'discord.js';
import {
  botToken,
  freshId,
  HUGE_LIMITS,
  startTestSimulator,
  type TestSimulator,
} from '../../../test/harness.ts';

let simulator: TestSimulator;

beforeAll(async () => {
  simulator = await startTestSimulator();
});
afterEach(() => setSystemTime());
afterAll(() => simulator.stop());

test('who ignores the headers is refused until the bucket is full again', async () => {
  await simulator.control('PUT', '/limits', {});
  // However long the calls take, no time passes.
  setSystemTime(new Date());
  const path = `/guilds/${freshId()}/roles`;
  const remaining: (string | null)[] = [];
  for (let index = 0; index < 5; index += 1) {
    const response = await simulator.call('GET', path);
    expect(response.status).toBe(200);
    remaining.push(response.headers.get('x-ratelimit-remaining'));
  }
  expect(remaining).toEqual(['4', '3', '2', '1', '0']);
  const refused = await simulator.call('GET', path);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
  expect(refused.headers.get('x-ratelimit-limit')).toBe('5');
  expect(refused.headers.get('x-ratelimit-bucket')).toMatch(/^[0-9a-f]{16}$/);
  expect(Number(refused.headers.get('retry-after'))).toBe(5);
  const body = await refused.json();
  expect(body).toMatchObject({ message: 'You are being rate limited.', global: false });
  expect(body.retry_after).toBeWithin(4, 5.001);
  // Buckets are apart by bot, route and guild.
  expect((await simulator.call('GET', path, undefined, 'another')).status).toBe(200);
  expect((await simulator.call('GET', `/guilds/${freshId()}/roles`)).status).toBe(200);
});

test('a bot has one limit over all its routes', async () => {
  await simulator.control('PUT', '/limits', {
    default: HUGE_LIMITS.default,
    global: { limit: 5, perMs: 60_000 },
  });
  const statuses: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    statuses.push((await simulator.call('GET', `/guilds/${freshId()}/roles`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const refused = await simulator.call('GET', `/guilds/${freshId()}`);
  expect(refused.headers.get('x-ratelimit-global')).toBe('true');
  expect(refused.headers.get('x-ratelimit-scope')).toBe('global');
  expect(await refused.json()).toMatchObject({ global: true });
});

test('the usual client at full speed is never refused', async () => {
  await simulator.control('PUT', '/limits', {
    default: { limit: 10, perMs: 100 },
    routes: { 'POST /guilds/:id/roles': { limit: 5, perMs: 50 } },
    // The client counts seconds of its own, of which two can fall into one of ours.
    global: { limit: 160, perMs: 1000 },
  });
  await simulator.control('DELETE', '/log');
  const rest = new REST({ api: simulator.api, version: '10', globalRequestsPerSecond: 80 });
  rest.setToken(botToken());
  let refusals = 0;
  rest.on(RESTEvents.Response, (_, response) => {
    if (response.status === 429) refusals += 1;
  });
  const guildIds = Array.from({ length: 10 }, freshId);
  await Promise.all(
    Array.from({ length: 300 }, (_, index) => {
      const guildId = guildIds[index % guildIds.length] ?? '';
      return index % 3 === 0
        ? rest.post(Routes.guildRoles(guildId), { body: { name: `r${index}` } })
        : rest.get(index % 3 === 1 ? Routes.guildRoles(guildId) : Routes.guildChannels(guildId));
    }),
  );
  const log: { status: number }[] = await simulator.control('GET', '/log');
  expect(log).toHaveLength(300);
  expect(log.filter(({ status }) => status === 429)).toEqual([]);
  expect(refusals).toBe(0);
});
