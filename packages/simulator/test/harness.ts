import { afterAll } from 'bun:test';
import { DiscordAPIError, REST } from 'discord.js';
import { type SimulatorOptions, startSimulator } from '../src/index.ts';
import { createSnowflakes } from '../src/platform/snowflakes.ts';
import { watchTraffic } from '../src/traffic/watch-traffic.ts';

/** An hour behind, so that ids never collide with those of the simulator. */
const snowflakes = createSnowflakes(() => Date.now() - 3_600_000);

/** An id that no other test uses. */
export const freshId = () => snowflakes.next();

export const HUGE_LIMITS = {
  default: { limit: 1_000_000, perMs: 1000 },
  global: { limit: 1_000_000, perMs: 1000 },
};

/** A running simulator with very high limits, and its control API. */
export const startTestSimulator = async (options: Partial<SimulatorOptions> = {}) => {
  const simulator = await startSimulator({ port: 0, ...options });
  const control = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${simulator.url}/__sim${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  await control('PUT', '/limits', HUGE_LIMITS);
  const traffic = await watchTraffic(control, 'answers');
  const api = `${simulator.url}/api`;
  return {
    ...simulator,
    api,
    control: traffic.control,
    stop: async () => {
      await traffic.check();
      await simulator.stop();
    },
    /** An unmodified client of the usual library. */
    rest: (token = botToken()) =>
      new REST({ api, version: '10', globalRequestsPerSecond: 1_000_000, retries: 0 }).setToken(
        token,
      ),
    call: (method: string, path: string, body?: unknown, token = DEFAULT_TOKEN) =>
      fetch(`${api}/v10${path}`, {
        method,
        headers: { Authorization: `Bot ${token}`, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
  };
};

export type TestSimulator = Awaited<ReturnType<typeof startTestSimulator>>;

export const botId = '900000000000000001';

/** A simulator for the tests of one file, and the usual library as the client of the bot `botId`. */
export const startBotSimulator = async () => {
  const simulator = await startTestSimulator();
  afterAll(() => simulator.stop());
  return { simulator, rest: simulator.rest() };
};

/** The library types its answers unknown; the caller names what the route is documented to give. */
export const answerOf = async <Answer>(request: Promise<unknown>) => (await request) as Answer;

/** In the real format: the application's id comes first. */
export const botToken = (applicationId = botId) =>
  `${Buffer.from(applicationId).toString('base64')}.test.token`;

const DEFAULT_TOKEN = botToken();

/** "status/code" of the platform's error. */
export const refusalOf = async (request: Promise<unknown>): Promise<string> => {
  try {
    await request;
    return 'accepted';
  } catch (error) {
    if (error instanceof DiscordAPIError) return `${error.status}/${error.code}`;
    throw error;
  }
};
