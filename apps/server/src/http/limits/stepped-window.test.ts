import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createRateLimit } from './rate-limit.ts';

const hourMs = 60 * 60 * 1000;

afterEach(() => {
  setSystemTime();
});

test.each([
  ['back', -hourMs],
  ['forward', hourMs],
])('no client has to wait longer than the window when the clock is set %s', async (_, byMs) => {
  const rateLimit = createRateLimit();
  for (let sent = 0; sent < 3; sent++) await rateLimit.count('key', 2);
  setSystemTime(new Date(Date.now() + byMs));
  for (let sent = 0; sent < 5; sent++) {
    const count = await rateLimit.count('key', 2);
    expect(count.retryAfterSeconds).toBeLessThanOrEqual(10);
    expect(count.resetAt - Date.now() / 1000).toBeLessThanOrEqual(11);
  }
  const { isExceeded } = await rateLimit.count('key', 2);
  expect(isExceeded).toBe(true);
  rateLimit.close();
});
