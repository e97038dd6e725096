import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { Secret } from '../../kernel/secret.ts';
import { createPlatformMetrics } from '../metrics.ts';
import { createBotClient } from './bot-client.ts';
import { createBreaker } from './breaker.ts';

const hourMs = 60 * 60 * 1000;
let stranger: ReturnType<typeof Bun.serve> | undefined;
afterEach(async () => {
  setSystemTime();
  await stranger?.stop(true);
});

/** A bucket of one call; when each arrived, by the monotonic clock. */
const startBucket = (resetAfterSeconds: number) => {
  const arrivedAt: number[] = [];
  stranger = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      arrivedAt.push(performance.now());
      const headers = {
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset-after': String(resetAfterSeconds),
        'x-ratelimit-bucket': 'one',
      };
      return Response.json({ id: '1' }, { headers });
    },
  });
  const client = createBotClient(new Secret('token'), {
    apiUrl: `http://127.0.0.1:${stranger.port}/api`,
    breaker: createBreaker(),
    metrics: createPlatformMetrics(new Registry()),
    timeoutMs: 1000,
  });
  const read = () =>
    client.call({ method: 'GET', path: '/users/@me', answer: z.object({ id: z.string() }) });
  return { read, arrivedAt, close: () => client.close() };
};

const setClock = (byMs: number) => setSystemTime(new Date(Date.now() + byMs));

test.each([
  ['back', -hourMs],
  ['forward', hourMs],
])(
  'a bucket is waited for as long as its header says when the clock is set %s',
  async (_, byMs) => {
    const bucket = startBucket(0.3);
    await bucket.read();
    setClock(byMs);
    await bucket.read();
    // While it waits, too.
    const waiting = bucket.read();
    await Bun.sleep(50);
    setClock(byMs);
    await waiting;
    bucket.close();
    const [first = 0, second = 0, third = 0] = bucket.arrivedAt;
    expect(bucket.arrivedAt).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(300);
    expect(third - second).toBeGreaterThanOrEqual(300);
  },
  20_000,
);
