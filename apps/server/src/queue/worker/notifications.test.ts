import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { z } from 'zod';
import { freshDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { createLog } from '../../kernel/log.ts';
import { createMetrics } from '../../kernel/metrics.ts';
import { type EnqueueOptions, type Queue, startQueue } from '../queue.ts';
import { listenForJobs } from './notifications.ts';

const job = { name: 'test.told', payload: z.object({}) };

/** So slow that whatever is begun in a test was told by a notification, or timed by one. */
const neverMs = 10 * 60 * 1000;
const neverPolled = { idleMs: neverMs, busyMs: neverMs };

let url: string;
let db: Database;
let sql: SQL;
let logLines: string[];
let toStop: Queue[];
let runs: number;

beforeEach(async () => {
  url = await freshDatabase();
  db = connectDatabase(url, { name: 'holdfast-test' });
  sql = new SQL(url, { max: 1 });
  logLines = [];
  toStop = [];
  runs = 0;
});

afterEach(async () => {
  await Promise.all(toStop.map((queue) => queue.stop()));
  await Promise.all([closeDatabase(db), sql.close()]);
});

const log = () => createLog({ write: (line) => logLines.push(line) });

const start = async (isWorker: boolean, pollTimes: object): Promise<Queue> => {
  const options = { url, isWorker, log: log(), metrics: createMetrics(), pollTimes };
  const queue = await startQueue([job], options);
  toStop.push(queue);
  return queue;
};

const startWorker = async (
  pollTimes: object,
  run = async () => {
    runs++;
  },
): Promise<void> => {
  const worker = await start(true, pollTimes);
  await worker.work([{ ...job, concurrency: 4, run }]);
  await eventually(10_000, async () => expect(await listeners()).toHaveLength(1));
};

const listeners = () =>
  sql`select pid from pg_stat_activity
      where application_name = 'holdfast-listen' and datname = current_database()
        and query ilike 'listen%'`;

const enqueue = (client: Queue, options?: EnqueueOptions) =>
  db.transaction((tx) => client.enqueue(tx, job, {}, options));

test('a worker that does not poll starts a job that another process queues', async () => {
  const client = await start(false, {});
  await startWorker(neverPolled);
  await enqueue(client);
  await eventually(10_000, () => expect(runs).toBe(1));
  for (let sent = 0; sent < 30; sent++) await enqueue(client);
  await eventually(10_000, () => expect(runs).toBe(31));
});

test('a job that is due later is started in time by a worker that does not poll', async () => {
  const client = await start(false, {});
  await startWorker(neverPolled);
  await enqueue(client, { startAfterSeconds: 1 });
  await eventually(10_000, () => expect(runs).toBe(1));
});

test('a failed job is tried again in time by a worker that does not poll', async () => {
  const client = await start(false, {});
  await startWorker(neverPolled, async () => {
    runs++;
    if (runs === 1) throw new Error('the first time it fails');
  });
  await enqueue(client);
  await eventually(15_000, () => expect(runs).toBe(2));
});

test('a job queued while the listening connection was cut is started once it is back', async () => {
  const client = await start(false, {});
  await startWorker(neverPolled);
  await enqueue(client);
  await eventually(10_000, () => expect(runs).toBe(1));
  const [before] = await listeners();
  await sql`select pg_terminate_backend(${before.pid})`;
  await enqueue(client);
  await eventually(15_000, () => expect(runs).toBe(2));
  await enqueue(client);
  await eventually(15_000, () => expect(runs).toBe(3));
});

test('a job without a notification is found by polling', async () => {
  await startWorker({ idleMs: 200 });
  await Bun.sleep(0);
  await sql`insert into pgboss.job (name, data) values (${job.name}, '{}')`;
  await eventually(10_000, () => expect(runs).toBe(1));
});

/** Passes everything on until it is muted; then it holds its connections and says nothing. */
const startProxy = (to: { hostname: string; port: number }) => {
  type Far = Awaited<ReturnType<typeof Bun.connect>>;
  let isMuted = false;
  const fars = new Map<object, Promise<Far>>();
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(near) {
        const far = Bun.connect({
          ...to,
          socket: {
            data(_, bytes) {
              if (!isMuted) near.write(bytes);
            },
          },
        });
        fars.set(near, far);
      },
      async data(near, bytes) {
        const far = await fars.get(near);
        if (!isMuted) far?.write(bytes);
      },
      async close(near) {
        (await fars.get(near))?.end();
      },
    },
  });
  return {
    port: server.port,
    mute: (muted: boolean) => {
      isMuted = muted;
    },
    stop: () => server.stop(true),
  };
};

test('a listening connection that no longer answers is logged once and replaced', async () => {
  const direct = new URL(url);
  const proxy = startProxy({ hostname: direct.hostname, port: Number(direct.port) });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  const listening = listenForJobs({
    ...{ url: through.href, db, log: log(), senderId: 'test' },
    times: { echoEveryMs: 50, echoWithinMs: 500 },
    onDue: () => undefined,
    onUnknown: () => undefined,
  });
  await eventually(10_000, () => expect(listening.isAlive()).toBe(true));
  proxy.mute(true);
  await eventually(10_000, () => expect(listening.isAlive()).toBe(false));
  const logged = () => logLines.filter((line) => line.includes('polled instead')).length;
  await eventually(10_000, () => expect(logged()).toBe(1));
  proxy.mute(false);
  await eventually(10_000, () => expect(listening.isAlive()).toBe(true));
  expect(logged()).toBe(1);
  await listening.stop();
  proxy.stop();
});
