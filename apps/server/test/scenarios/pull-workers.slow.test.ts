import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { closeDatabase, connectDatabase, type Database } from '../../src/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded.ts';
import { generateMasterKey, parseKeyRing } from '../../src/kernel/seal.ts';
import { addCrowd, type CrowdMember, type CrowdPlace, newCrowdPlace, readRing } from '../crowd.ts';
import { eventually } from '../eventually.ts';
import { startTestService } from '../harness.ts';
import { startKillProxy } from '../nemesis/kill-proxy.ts';
import { countByPerson, noResults } from '../pull-scene.ts';
import { connectionOf, startPullWorker } from '../pull-worker.ts';
import { startTestSimulator, type TestSimulator } from '../simulator.ts';
import { countWrites, watchWrites } from '../watch-writes.ts';
import { restartPostgres } from './restart-postgres.ts';
import { endScene, makeFolder, makePlansFile, mintKey, startService, tenantAt } from './scene.ts';

setDefaultTimeout(120_000);

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
afterAll(endScene);

/** One call that brings somebody in, in so long. */
const slowDown = async (perMs: number) => {
  const wide = await simulator.control('GET', '/limits');
  const routes = { [`PUT ${memberRoute}`]: { limit: 1, perMs } };
  await simulator.control('PUT', '/limits', { ...wide, routes });
  return { end: () => simulator.control('PUT', '/limits', wide) };
};

const begin = async ({ owner, serverId }: CrowdPlace): Promise<string> => {
  const reply = await owner.call('POST', `/api/v1/servers/${serverId}/pull`);
  expect(reply.status).toBe(202);
  return reply.body.data.id;
};

const read = async ({ owner }: CrowdPlace, pullId: string) =>
  (await owner.call('GET', `/api/v1/pulls/${pullId}`)).body.data;

const untilProcessed = (place: CrowdPlace, pullId: string, least: number) =>
  eventually(40_000, async () => {
    const pull = await read(place, pullId);
    expect(pull.processed).toBeGreaterThanOrEqual(least);
    return pull;
  });

const untilCompleted = (place: CrowdPlace, pullId: string) =>
  eventually(60_000, async () => {
    const pull = await read(place, pullId);
    expect(pull.status).toBe('completed');
    return pull;
  });

const expectEachAddedOnce = async (members: CrowdMember[]) => {
  const log: Parameters<typeof countByPerson>[0] = await simulator.control('GET', '/log');
  const additions = log.filter(({ method, route }) => method === 'PUT' && route === memberRoute);
  const once = members.map(({ platformId }): [string, number] => [platformId, 1]);
  expect(countByPerson(additions, 201)).toEqual(new Map(once));
};

describe('a worker that is stopped for longer than its lease', () => {
  /** `npm run nemesis -- pull-paused` does the same to the real worker, for 45 seconds. */
  const leaseTimes = {
    ...{ leaseMs: 4000, renewMs: 800, marginMs: 800 },
    ...{ sweepMs: 500, secondCopySeconds: 1 },
  };
  const windowMs = 12_000;
  const masterKeys = generateMasterKey();

  const startScene = async () => {
    const ring = parseKeyRing(masterKeys);
    const service = await startTestService({ ring, platformApiUrl: simulator.apiUrl });
    undo.push(service.stop);
    const { db, databaseUrl } = service;
    const startWorker = async (workerId: string, platformApiUrl: string) => {
      const worker = await startPullWorker({
        ...{ DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys, WORKER_ID: workerId },
        ...{ PLATFORM_API_URL: platformApiUrl, LEASE_TIMES: JSON.stringify(leaseTimes) },
      });
      undo.push(worker.end);
      return worker;
    };
    const place = await newCrowdPlace(await service.newTenant());
    const members = await addCrowd({ db, ring, simulator }, place, 10);
    await watchWrites(db.$client);
    return { db, place, members, startWorker };
  };

  const writesOf = (db: Database, workerId: string) =>
    countWrites(db.$client, { connection: connectionOf(workerId) });

  /** Those the platform has heard of, answered or not. */
  const additions = async () => {
    const log: { method: string; route: string }[] = await simulator.control('GET', '/log');
    return log.filter(({ method, route }) => method === 'PUT' && route === memberRoute);
  };

  test('makes at most one more call when it wakes and writes nothing, and the pull is whole', async () => {
    const { db, place, members, startWorker } = await startScene();
    // Whoever takes over finds the bucket empty, so that the woken one could still be the first.
    const slowness = await slowDown(windowMs);
    const match = { method: 'PUT', route: memberRoute };
    const lateAnswer = { match, when: 'afterApply', action: 'delay', ms: 2000 };
    await simulator.control('POST', '/faults', lateAnswer);
    const proxy = startKillProxy({ target: simulator.url });
    undo.push(proxy.stop);
    const stopped = await startWorker('stopped', `${proxy.endpoint}/api`);
    const pullId = await begin(place);
    await eventually(20_000, async () => expect(await additions()).toHaveLength(1));
    stopped.kill('SIGSTOP');
    await startWorker('other', simulator.apiUrl);
    await eventually(30_000, async () => expect(await additions()).toHaveLength(2));

    const written = await writesOf(db, 'stopped');
    proxy.arm();
    stopped.kill('SIGCONT');
    await Bun.sleep(2000);
    expect(await read(place, pullId)).toMatchObject({ status: 'running' });
    await slowness.end();
    const pull = await untilCompleted(place, pullId);
    expect(pull.results).toEqual({ ...noResults, joined: members.length });
    expect(proxy.seen()).toBeLessThanOrEqual(1);
    expect(await writesOf(db, 'stopped')).toBe(written);
    await expectEachAddedOnce(members);
  });
});

describe('a PostgreSQL that is restarted in the middle', () => {
  const startScene = async () => {
    const folder = await makeFolder();
    const postgres = await startEmbeddedPostgres(folder);
    undo.push(postgres.stop);
    const dataDir = await makeFolder();
    const service = await startService({
      ...{ DATABASE_URL: postgres.url, DATA_DIR: dataDir, PLANS_FILE: await makePlansFile() },
      PLATFORM_API_URL: simulator.apiUrl,
    });
    const owner = tenantAt(service.url, await mintKey(postgres.url));
    const place = await newCrowdPlace(owner);
    const db = connectDatabase(postgres.url, { name: 'holdfast-test', poolSize: 1 });
    const members = await addCrowd({ db, ring: await readRing(dataDir), simulator }, place, 40);
    await closeDatabase(db);
    return { place, members, restart: () => restartPostgres(folder) };
  };

  test('loses nobody and repeats nobody, and what was told before still holds', async () => {
    const { place, members, restart } = await startScene();
    await slowDown(150);
    const pullId = await begin(place);
    const before = await untilProcessed(place, pullId, 8);
    await restart();
    const seen = [before.processed];
    const pull = await eventually(90_000, async () => {
      const { status, body } = await place.owner.call('GET', `/api/v1/pulls/${pullId}`);
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
