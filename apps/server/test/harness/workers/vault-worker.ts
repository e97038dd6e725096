import { Registry } from 'prom-client';
import { z } from 'zod';
import { connectDatabase } from '../../../src/db/connect.ts';
import { setTokenStatus } from '../../../src/features/members/queries/person.ts';
import { refreshDue } from '../../../src/features/vault/jobs.ts';
import { getUsableToken } from '../../../src/features/vault/tokens/refresh.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { parseKeyRing } from '../../../src/kernel/seal.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatformOAuth } from '../../../src/platform/oauth/oauth.ts';
import { startQueue } from '../../../src/queue/queue.ts';

/** The vault as a process of its own: it keeps tokens alive until it is killed, or uses one many times. */
const environment = z.object({
  DATABASE_URL: z.string(),
  MASTER_KEYS: z.string(),
  PLATFORM_API_URL: z.string(),
  USE: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(
      z.object({
        times: z.number(),
        owner: z.object({ accountId: z.string(), botId: z.string(), platformId: z.string() }),
      }),
    )
    .optional(),
});

const say = (words: object) => process.stdout.write(`${JSON.stringify(words)}\n`);

if (import.meta.main) {
  const settings = environment.parse(process.env);
  const log = createLog({ write: (line) => process.stderr.write(line) });
  const url = settings.DATABASE_URL;
  const metrics = createMetrics();
  const tools = {
    queue: await startQueue([], { url, isWorker: false, log, metrics }),
    db: connectDatabase(settings.DATABASE_URL, { name: 'holdfast-test-vault' }),
    ring: parseKeyRing(settings.MASTER_KEYS),
    clock: systemClock,
    oauth: createPlatformOAuth({
      apiUrl: settings.PLATFORM_API_URL,
      metrics: createPlatformMetrics(new Registry()),
    }),
    setTokenStatus,
    log,
  };
  say({ isReady: true });
  const { USE: use } = settings;
  if (use) {
    await Bun.stdin.text();
    const uses = Array.from({ length: use.times }, () => getUsableToken(tools, use.owner));
    for (const token of await Promise.all(uses)) {
      say({ token: token instanceof Secret ? sha256Hex(token.reveal()) : token.kind });
    }
    process.exit();
  }
  for (;;) {
    await refreshDue(tools, new AbortController().signal);
    await Bun.sleep(50);
  }
}
