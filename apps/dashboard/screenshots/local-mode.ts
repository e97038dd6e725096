import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHoldfast, type Holdfast } from '@holdfast/sdk';

export const root = join(import.meta.dir, '../../..');

export type LocalMode = {
  url: string;
  simulatorUrl: string;
  holdfast: Holdfast;
  stop(): Promise<void>;
};

type LocalModeOptions = { hasRateLimits?: boolean };

export const startLocalMode = async ({
  hasRateLimits = false,
}: LocalModeOptions = {}): Promise<LocalMode> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-screenshots-'));
  // PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  const log = join(folder, 'service.log');
  const service = Bun.spawn(['bun', '--no-env-file', join(root, 'apps/server/src/main/start.ts')], {
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder },
      ...{ PORT: await freePort(), SIMULATOR_PORT: '0' },
    },
    stdout: Bun.file(log),
    stderr: 'inherit',
  });
  const output = await readUntil(log, '"msg":"listening"');
  const find = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  const [url, simulatorUrl] = [find(/Service +(\S+)/), find(/Platform simulator +(\S+)/)];
  if (!hasRateLimits) await liftRateLimits(simulatorUrl);
  return {
    ...{ url, simulatorUrl },
    holdfast: createHoldfast({ baseUrl: url, key: find(/Bearer (holdfast_\w+)/) }),
    async stop() {
      service.kill('SIGTERM');
      await service.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const freePort = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' && address ? address.port : 0);
};

const readUntil = async (log: string, end: string): Promise<string> => {
  for (let waited = 0; waited < 1200; waited++) {
    const read = await Bun.file(log).text();
    if (read.includes(end)) return read;
    await Bun.sleep(100);
  }
  throw new Error(`The service did not start:\n${await Bun.file(log).text()}`);
};

/** Nobody has to wait for a picture as long as the platform would have them wait. */
const liftRateLimits = (simulatorUrl: string): Promise<Response> =>
  fetch(`${simulatorUrl}/__sim/limits`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ default: { limit: 1000, perMs: 1000 } }),
  });
