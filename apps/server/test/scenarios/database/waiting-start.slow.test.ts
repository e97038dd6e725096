import { afterAll, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/kernel/log.ts';
import { generateMasterKey } from '../../../src/kernel/seal.ts';
import { readConfig } from '../../../src/main/config.ts';
import { startService as startInProcess } from '../../../src/main/service.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { startSilentProxy } from '../../harness/network/silent-proxy.ts';
import { makeFolder, startService, stopServices } from '../../harness/running-service.ts';
import { startS3Server } from '../../harness/storage/s3-server.ts';

afterAll(stopServices);

/** A worker that starts while `proxy` carries nothing, until it has said so. */
const startHeld = async (
  proxy: Awaited<ReturnType<typeof startSilentProxy>>,
  env: Record<string, string>,
): Promise<string[]> => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const place = { DATA_DIR: await makeFolder(), PLATFORM_API_URL: 'http://127.0.0.1:9/api' };
  const config = readConfig({ ROLE: 'worker', PORT: '0', ...place, ...env });
  const release = proxy.holdEverything();
  const starting = startInProcess(config, log);
  await eventually(20_000, () => expect(lines.join('')).toContain('the start waits for'));
  release();
  await (await starting).stop();
  return lines;
};

const messagesOf = (lines: string[]): string[] => lines.map((line) => JSON.parse(line).msg);

test('a start that waits for PostgreSQL says so, with its host and without its password', async () => {
  const database = await freshDatabase();
  const proxy = await startSilentProxy(database);
  const url = proxy.through(database);
  const lines = await startHeld(proxy, { DATABASE_URL: url });
  const { host, password } = new URL(url);
  expect(messagesOf(lines)).toContain(`the start waits for PostgreSQL at ${host}`);
  expect(messagesOf(lines)).toContain(`PostgreSQL at ${host} answers: the start goes on`);
  expect(password).not.toBe('');
  expect(lines.join('')).not.toContain(password);
  await proxy.stop();
});

test('a start that waits for S3 says so, with its host and without its keys', async () => {
  const s3 = await startS3Server();
  const proxy = await startSilentProxy(s3.endpoint);
  const { host } = new URL(proxy.through(s3.endpoint));
  const blobUrl = s3.blobUrl.replace(new URL(s3.endpoint).host, host);
  const lines = await startHeld(proxy, { DATABASE_URL: await freshDatabase(), BLOB_URL: blobUrl });
  expect(messagesOf(lines)).toContain(`the start waits for the bucket blobs at ${host}`);
  expect(lines.join('')).not.toContain('S3RVER');
  await proxy.stop();
  await s3.stop();
});

test('local mode makes the folder of DATA_DIR, and those above it, whatever else is set', async () => {
  const dataDir = join(await makeFolder(), 'not', 'there', 'yet');
  await startService({
    ...{ PLATFORM_CLIENT_ID: '', PLATFORM_CLIENT_SECRET: '' },
    ...{ DATABASE_URL: await freshDatabase(), MASTER_KEYS: generateMasterKey() },
    ...{ DATA_DIR: dataDir, BLOB_URL: `file://${await makeFolder()}` },
  });
  expect(await readdir(dataDir)).toContain('demo.key');
});
