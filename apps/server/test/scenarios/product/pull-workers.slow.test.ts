// Takes about 45 s: started before shorter ones.
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeDatabase, connectDatabase, type Database } from '../../../src/db/connect.ts';
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { generateMasterKey, parseKeyRing } from '../../../src/kernel/seal.ts';
import { restartPostgres } from '../../harness/database-faults/restart-postgres.ts';
import { countWrites, watchWrites } from '../../harness/database-faults/triggers.ts';
import { eventually } from '../../harness/eventually.ts';
import { startKillProxy } from '../../harness/network/kill-proxy.ts';
import { countByPerson, noResults } from '../../harness/pulls/fixture.ts';
import {
  addManyMembers,
  type MemberWithToken,
  newPullServer,
  type PullServer,
  readRing,
} from '../../harness/pulls/many-members.ts';
import {
  createKey,
  makeFolder,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
} from '../../harness/running-service.ts';
import { startTestService } from '../../harness/service.ts';
import { startTestSimulator, type TestSimulator } from '../../harness/simulator/start.ts';
import { connectionOf, startJobWorker } from '../../harness/workers/job-worker.ts';

const memberRoute = '/guilds/:id/members/:id';

let simulator: TestSimulator;
/** What a test began, ended in the reverse order. */
const undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  simulator = await startTestSimulator();
  undo.push(simulator.stop);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(stopServices);

/** One call that brings somebody in, in so long. */
const slowDown = async (perMs: number) => {
  const wide = await simulator.control('GET', '/limits');
  const routes = { [`PUT ${memberRoute}`]: { limit: 1, perMs } };
  await simulator.control('PUT', '/limits', { ...wide, routes });
  return { end: () => simulator.control('PUT', '/limits', wide) };
};

const begin = async ({ owner, serverId }: PullServer): Promise<string> => {
  const reply = await owner.call('POST', `/api/v1/servers/${serverId}/pull`);
  expect(reply.status).toBe(202);
  return reply.body.data.id;
};

const read = async ({ owner }: PullServer, pullId: string) =>
  (await owner.call('GET', `/api/v1/pulls/${pullId}`)).body.data;

const untilProcessed = (server: PullServer, pullId: string, least: number) =>
  eventually(40_000, async () => {
    const pull = await read(server, pullId);
    expect(pull.processed).toBeGreaterThanOrEqual(least);
    return pull;
  });

const untilCompleted = (server: PullServer, pullId: string) =>
  eventually(60_000, async () => {
    const pull = await read(server, pullId);
    expect(pull.status).toBe('completed');
    return pull;
  });

const expectEachAddedOnce = async (members: MemberWithToken[]) => {
  const log: Parameters<typeof countByPerson>[0] = await simulator.control('GET', '/log');
  const additions = log.filter(({ method, route }) => method === 'PUT' && route === memberRoute);
  const once = members.map(({ platformId }): [string, number] => [platformId, 1]);
  expect(countByPerson(additions, 201)).toEqual(new Map(once));
};

describe('a worker that is stopped for longer than its lease', () => {
  /** `npm run nemesis -- pull-paused` does the same to the real worker, for 45 seconds. */
  const leaseTimes = {
    ...{ leaseMs: 4000, renewMs: 800, marginMs: 800 },
    retryHeldSeconds: 1,
  };
  const windowMs = 12_000;
  const masterKeys = generateMasterKey();

  const startFixture = async () => {
    const ring = parseKeyRing(masterKeys);
    const service = await startTestService({ ring, platformApiUrl: simulator.apiUrl });
    undo.push(service.stop);
    const { db, databaseUrl, dataDir } = service;
    const startWorker = async (workerId: string, platformApiUrl: string) => {
      const worker = await startJobWorker({
        ...{ DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys, WORKER_ID: workerId },
        ...{ PLATFORM_API_URL: platformApiUrl, LEASE_TIMES: JSON.stringify(leaseTimes) },
        DATA_DIR: dataDir,
      });
      undo.push(worker.end);
      return worker;
    };
    const server = await newPullServer(await service.newTenant());
    const members = await addManyMembers({ db, ring, simulator }, server, 10);
    await watchWrites(db.$client);
    return { db, server, members, startWorker };
  };

  const writesOf = (db: Database, workerId: string) =>
    countWrites(db.$client, { connection: connectionOf(workerId) });

  /** Those the platform has heard of, answered or not. */
  const additions = async () => {
    const log: { method: string; route: string }[] = await simulator.control('GET', '/log');
    return log.filter(({ method, route }) => method === 'PUT' && route === memberRoute);
  };

  test('makes at most one more call when it wakes and writes nothing, and the pull is whole', async () => {
    const { db, server, members, startWorker } = await startFixture();
    // Whoever takes over finds the bucket empty, so that the woken one could still be the first.
    const slowness = await slowDown(windowMs);
    const match = { method: 'PUT', route: memberRoute };
    const lateAnswer = { match, when: 'afterApply', action: 'delay', ms: 2000 };
    await simulator.control('POST', '/faults', lateAnswer);
    const proxy = startKillProxy({ target: simulator.url });
    undo.push(proxy.stop);
    const stopped = await startWorker('stopped', `${proxy.endpoint}/api`);
    const pullId = await begin(server);
    await eventually(20_000, async () => expect(await additions()).toHaveLength(1));
    stopped.kill('SIGSTOP');
    await startWorker('other', simulator.apiUrl);
    await eventually(30_000, async () => expect(await additions()).toHaveLength(2));

    const written = await writesOf(db, 'stopped');
    proxy.arm();
    stopped.kill('SIGCONT');
    await Bun.sleep(2000);
    expect(await read(server, pullId)).toMatchObject({ status: 'running' });
    await slowness.end();
    const pull = await untilCompleted(server, pullId);
    expect(pull.results).toEqual({ ...noResults, joined: members.length });
    expect(proxy.seen()).toBeLessThanOrEqual(1);
    expect(await writesOf(db, 'stopped')).toBe(written);
    await expectEachAddedOnce(members);
  });
});

describe('a PostgreSQL that is restarted in the middle', () => {
  const startFixture = async () => {
    const folder = await makeFolder();
    const postgres = await startEmbeddedPostgres(folder);
    undo.push(postgres.stop);
    const dataDir = await makeFolder();
    const service = await startService({
      ...{ DATABASE_URL: postgres.url, DATA_DIR: dataDir, PLANS_FILE: await makePlansFile() },
      PLATFORM_API_URL: simulator.apiUrl,
    });
    const owner = tenantAt(service.url, await createKey(postgres.url));
    const server = await newPullServer(owner);
    const db = connectDatabase(postgres.url, { name: 'holdfast-test', poolSize: 1 });
    const members = await addManyMembers(
      { db, ring: await readRing(dataDir), simulator },
      server,
      40,
    );
    await closeDatabase(db);
    return { server, members, restart: () => restartPostgres(folder) };
  };

  test('loses nobody and repeats nobody, and what was told before still holds', async () => {
    const { server, members, restart } = await startFixture();
    await slowDown(150);
    const pullId = await begin(server);
    const before = await untilProcessed(server, pullId, 8);
    await restart();
    const seen = [before.processed];
    const pull = await eventually(90_000, async () => {
      const { status, body } = await server.owner.call('GET', `/api/v1/pulls/${pullId}`);
      expect(status).toBe(200);
      seen.push(body.data.processed);
      expect(body.data.status).toBe('completed');
      return body.data;
    });
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(pull).toMatchObject({ progress: 100, total: 40, processed: 40 });
    expect(pull.results).toEqual({ ...noResults, joined: 40 });
    await expectEachAddedOnce(members);
  });
});
