import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { migrateDatabase } from '../../../src/db/migrate.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createMetrics } from '../../../src/kernel/metrics.ts';
import { runAdminCommand } from '../../../src/main/admin/run.ts';
import { readConfig } from '../../../src/main/config.ts';
import { jobDefinitions } from '../../../src/main/jobs.ts';
import { startService } from '../../../src/main/service.ts';
import { startQueue } from '../../../src/queue/queue.ts';
import { createBot } from '../../harness/bots-and-servers.ts';
import { emptyDatabase, freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  createKey,
  makeFolder,
  request,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { sharedSimulator } from '../../harness/simulator/start.ts';

afterAll(stopServices);

const startQueueOn = (url: string) =>
  startQueue(jobDefinitions, {
    url,
    isWorker: false,
    log: createLog({ write: () => undefined }),
    metrics: createMetrics(),
  });

describe('a database that is newer than the code', () => {
  test('is refused, and left as it is', async () => {
    const url = await freshDatabase();
    const sql = connectSql(url);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values ('of a later version', ${Date.now() + 1e9})`;
    await expect(migrateDatabase(url)).rejects.toThrow(/newer than this Holdfast: 1 of its mig/);
    const asked = runAdminCommand(['list-accounts'], { DATABASE_URL: url });
    await expect(asked).rejects.toThrow(/newer than this Holdfast/);
  });

  test('is refused too when only the tables of the queue are', async () => {
    const url = await freshDatabase();
    await connectSql(url)`update pgboss.version set version = version + 1`;
    await expect(startQueueOn(url)).rejects.toThrow(/newer than this Holdfast/);
  });
});

/** The statements of the section "Two roles", as an operator would run them. */
const grantsOfTheDocs = async (database: string): Promise<string[]> => {
  const docs = await Bun.file(join(import.meta.dir, '../../../../../docs/operations.md')).text();
  const block = /### Two roles[\s\S]*?```sql\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
  return block
    .replaceAll('holdfast_owner', ownerRole)
    .replaceAll('holdfast_app', appRole)
    .replaceAll('database holdfast', `database ${database}`)
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
};

const suffix = crypto.randomUUID().slice(0, 8);
const ownerRole = `owner_${suffix}`;
const appRole = `app_${suffix}`;

const asRole = (url: string, role: string): string => {
  const changed = new URL(url);
  changed.username = role;
  changed.password = 'secret';
  return changed.href;
};

describe('two roles', () => {
  let url: string;
  let ownerUrl: string;
  let appUrl: string;

  beforeAll(async () => {
    url = await emptyDatabase();
    const sql = new SQL(url, { max: 1 });
    const database = new URL(url).pathname.slice(1);
    for (const statement of await grantsOfTheDocs(database)) await sql.unsafe(statement);
    await sql.close();
    ownerUrl = asRole(url, ownerRole);
    appUrl = asRole(url, appRole);
  });

  const startAsApp = async () => {
    const lines: string[] = [];
    const config = readConfig({
      PORT: '0',
      DATA_DIR: await makeFolder(),
      DATABASE_URL: appUrl,
      PLATFORM_API_URL: (await sharedSimulator()).apiUrl,
      PLATFORM_CLIENT_ID: '498605767562051586',
      PLATFORM_CLIENT_SECRET: 'a client secret',
    });
    const log = createLog({ write: (line) => lines.push(line) });
    return { service: await startService(config, log), lines };
  };

  test('the role that runs the service may not migrate, and is told who may', async () => {
    await expect(startAsApp()).rejects.toThrow(/has to be migrated.*admin -- migrate/);
  });

  test('the owner migrates everything by the command; the other then needs no more than rows', async () => {
    const migrate = async () =>
      JSON.parse(await runAdminCommand(['migrate'], { DATABASE_URL: ownerUrl }));
    expect(await migrate()).toEqual({ migrated: true, applied: expect.any(Number) });
    expect(await migrate()).toEqual({ migrated: true, applied: 0 });

    const { service, lines } = await startAsApp();
    try {
      expect((await request(service.url, 'GET', '/readyz')).status).toBe(200);
      await createBot(tenantAt(service.url, await createKey(appUrl)));
      const sql = connectSql(url);
      await eventually(20_000, async () => {
        const done = await sql`select 1 from pgboss.job
          where name = 'seal.rewrap' and state = 'completed'`;
        expect(done).toHaveLength(1);
      });
    } finally {
      await service.stop();
    }
    expect(lines.filter((line) => JSON.parse(line).level !== 'info')).toEqual([]);
  });
});
