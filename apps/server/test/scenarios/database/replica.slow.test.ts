import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboardEndpoints, type Endpoint, endpoints } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { generateMasterKey, parseKeyRing } from '../../../src/kernel/seal.ts';
import type { Finding } from '../../../src/main/admin/doctor/finding.ts';
import { runAdminCommand } from '../../../src/main/admin/run.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { openDashboard } from '../../harness/dashboard/session.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { postgresBinaries } from '../../harness/failover/programs.ts';
import { pgbouncer, startPooler } from '../../harness/pooler.ts';
import { request, startService, stopServices, testWith } from '../../harness/running-service.ts';
import { type OwnTenant, randomPlatformId } from '../../harness/service.ts';
import { freePort } from '../../harness/service-process.ts';
import { type ReplicaService, startReplicaService } from '../../harness/standby/service.ts';
import {
  type Server,
  type ServerWithStandbys,
  startPrimary,
} from '../../harness/standby/standby.ts';

describe.skipIf(postgresBinaries === undefined)('lists with a standby', () => {
  let primary: ServerWithStandbys;
  let standby: Server;
  /** Two that share nothing but the database, as processes on two machines do. */
  let here: ReplicaService;
  let there: ReplicaService;
  let owner: OwnTenant;
  let path: string;
  const masterKeys = generateMasterKey();

  beforeAll(async () => {
    primary = await startPrimary(postgresBinaries ?? '');
    standby = await primary.addStandby('standby');
    const ring = parseKeyRing(masterKeys);
    const places = { primaryUrl: primary.url, standbyUrl: standby.url, ring };
    here = await startReplicaService(places);
    there = await startReplicaService(places);
    owner = await here.newTenant();
    path = `/api/v1/servers/${await createServer(owner)}/blacklist`;
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop(), stopServices()]);
    await primary.stop();
  });

  const asOwner = () => ({ authorization: `Bearer ${owner.key}` });
  /** Of the whole account, by the service there. */
  const list = async (service = there): Promise<string[]> => {
    const headers = asOwner();
    const { status, body } = await service.call('GET', '/api/v1/blacklist?limit=100', { headers });
    expect(status).toBe(200);
    return body.data.map((entry: { platformId: string }) => entry.platformId);
  };
  /** Written here; the answer has arrived when this resolves. */
  const write = async (): Promise<string> => {
    const platformId = randomPlatformId();
    const { status } = await owner.call('POST', path, { body: { platformId } });
    expect(status).toBe(201);
    return platformId;
  };
  const readsDuring = (work: () => Promise<unknown>) => there.readsDuring(work);
  /** A write moves the standby on, if something that nobody committed yet was before it. */
  const isReadFromStandby = () =>
    eventually(15_000, async () => {
      await write();
      expect(await readsDuring(list)).toEqual({ 'replica none': 1 });
    });

  const whileReplayIsPaused = async (work: () => Promise<void>): Promise<void> => {
    await isReadFromStandby();
    await standby.run('select pg_wal_replay_pause()');
    await work().finally(() => standby.run('select pg_wal_replay_resume()'));
  };

  test('are read from it, and not from the primary', async () => {
    await isReadFromStandby();
    const scansOn = async (server: Server) => {
      const [row] = await server.run(`select seq_scan + coalesce(idx_scan, 0) as scans
        from pg_stat_user_tables where relname = 'blacklist'`);
      return Number(row?.scans);
    };
    // Statistics are written a second late.
    await Bun.sleep(1100);
    await list();
    const before = { primary: await scansOn(primary), standby: await scansOn(standby) };
    const counted = await readsDuring(async () => {
      for (let count = 0; count < 20; count++) await list();
    });
    const { 'replica none': fromStandby = 0 } = counted;
    expect(fromStandby).toBeGreaterThan(15);
    await eventually(5000, async () => {
      await list();
      expect((await scansOn(standby)) - before.standby).toBeGreaterThanOrEqual(fromStandby);
    });
    expect((await scansOn(primary)) - before.primary).toBeLessThanOrEqual(20 - fromStandby);
  });

  test('need nothing that a standby cannot do', async () => {
    await isReadFromStandby();
    const dashboard = await openDashboard(there, owner);
    const [, , , , serverId = ''] = path.split('/');
    const since = new Date(0).toISOString();
    const query = `view=BOUGHT&isOpen=true&since=${since}&period=7d`;
    const paths = Object.values<Endpoint>({ ...endpoints, ...dashboardEndpoints })
      .filter(({ mayReadStandby }) => mayReadStandby)
      .map((entry) => `${entry.path.replace(':id', serverId)}?${query}`);
    expect(paths.length).toBeGreaterThan(20);
    for (const one of paths) {
      // The standby may be late for a moment.
      await eventually(5000, async () => {
        let status = 0;
        const counted = await readsDuring(async () => {
          status = (await dashboard.call('GET', one)).status;
        });
        expect([one, status, counted]).toEqual(
          status === 404 ? [one, 404, {}] : [one, 200, { 'replica none': 1 }],
        );
      });
    }
  });

  test('show a change at once, wherever it was made, although the standby has not replayed it', async () => {
    await whileReplayIsPaused(async () => {
      const counted = await readsDuring(async () => {
        for (let count = 0; count < 5; count++) {
          const written = await write();
          expect(await list()).toContain(written);
          expect(await list(here)).toContain(written);
        }
      });
      expect(counted).toEqual({ 'primary behind': 5 });
    });
    await isReadFromStandby();
  });

  test('show what no request wrote, and what was committed without waiting for the disk', async () => {
    await whileReplayIsPaused(async () => {
      const platformId = randomPlatformId();
      await here.db.transaction(async (tx) => {
        await tx.execute(sql`set local synchronous_commit to off`);
        await tx.execute(sql`insert into blacklist (id, account_id, platform_id)
          values (${crypto.randomUUID()}, ${owner.accountId}, ${platformId})`);
      });
      expect(await list()).toContain(platformId);
    });
  });

  test('show every change while many are made, mostly from the standby', async () => {
    await isReadFromStandby();
    const other = await here.newTenant();
    const otherPath = `/api/v1/servers/${await createServer(other)}/blacklist`;
    let isOver = false;
    const busy = (async () => {
      while (!isOver) {
        await other.call('POST', otherPath, { body: { platformId: randomPlatformId() } });
      }
    })();
    const counted = await readsDuring(async () => {
      for (let count = 0; count < 25; count++) {
        const written = await write();
        expect(await list()).toContain(written);
      }
    });
    isOver = true;
    await busy;
    expect(counted['replica none']).toBeGreaterThan(10);
  });

  test('are read from the primary where replaying ended the read', async () => {
    await primary.run('create table emptied (id int)');
    await isReadFromStandby();
    const begun = Promise.withResolvers<void>();
    const reading = readsDuring(() =>
      there.replica.read(async (db) => {
        const answer = db.execute(sql`select pg_sleep(0.5), count(*) from emptied`);
        setTimeout(begun.resolve, 100);
        expect(await answer).toHaveLength(1);
      }),
    );
    await begun.promise;
    await primary.run('truncate emptied');
    expect(await reading).toEqual({ 'primary conflict': 1 });
    await isReadFromStandby();
  });

  test('wait but a moment for a standby that falls silent, and then not at all', async () => {
    await isReadFromStandby();
    const waited = await readsDuring(async () => {
      const underWay = there.replica.read((db) => db.execute(sql`select pg_sleep(0.3)`));
      await Bun.sleep(100);
      await standby.suspend();
      const startedAt = performance.now();
      await Promise.all([underWay, list(), list(), list()]);
      expect(performance.now() - startedAt).toBeLessThan(2500);
    });
    // The connection of the first one is given up with all others.
    expect(waited).toEqual({ 'primary silent': 3, 'primary away': 1 });
    const again = performance.now();
    for (let count = 0; count < 10; count++) await list();
    expect(performance.now() - again).toBeLessThan(500);
    await standby.resume();
    await isReadFromStandby();
  });

  test('go on without a failure when the standby is killed under load', async () => {
    await isReadFromStandby();
    let isOver = false;
    let answered = 0;
    const load = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        await list();
        answered++;
      }
    });
    const counted = await readsDuring(async () => {
      await Bun.sleep(300);
      await standby.kill();
      await Bun.sleep(500);
      isOver = true;
      await Promise.all(load);
    });
    expect(answered).toBeGreaterThan(50);
    expect(counted['replica none']).toBeGreaterThan(10);
    expect(counted['primary away']).toBeGreaterThan(10);
    await standby.start();
    await isReadFromStandby();
  });

  testWith('pgbouncer', pgbouncer !== null)(
    'are read from it by a process of the service, through a pooler in transaction mode too',
    async () => {
      const user = { name: 'holdfast', password: 'any' };
      const pooler = await startPooler(standby.url, { mode: 'transaction', user });
      const { url } = await startService({
        ...{ DATABASE_URL: primary.url, MASTER_KEYS: masterKeys, ROLE: 'api' },
        DATABASE_REPLICA_URL: pooler.urlOf(standby.url),
      });
      const counted = /^holdfast_replica_reads_total\{place="replica",reason="none"\} (\d+)/m;
      await eventually(15_000, async () => {
        const written = await write();
        const listed = await request(url, 'GET', '/api/v1/blacklist?limit=100', {
          headers: asOwner(),
        });
        expect(listed.text).toContain(written);
        const [, reads] = counted.exec((await request(url, 'GET', '/metrics')).text) ?? [];
        expect(Number(reads)).toBeGreaterThan(5);
      });
      await pooler.stop();
    },
  );

  test('admin doctor says how the standby stands, and what to do', async () => {
    const examine = async (standbyUrl: string): Promise<Finding | undefined> => {
      const env = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standbyUrl };
      const text = await runAdminCommand(['doctor', '--json'], env).catch(({ output }) => output);
      const { findings }: { findings: Finding[] } = JSON.parse(text);
      return findings.find(({ check }) => check === 'replica');
    };
    const nobody = `postgres://holdfast:unprinted@127.0.0.1:${freePort()}/holdfast`;
    await isReadFromStandby();
    const [well, promoted, away] = await Promise.all(
      [standby.url, primary.url, nobody].map(examine),
    );
    expect(well).toMatchObject({ state: 'ok' });
    expect(promoted).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('takes writes'),
    });
    expect(away).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('DATABASE_REPLICA_URL'),
    });
    expect(JSON.stringify(away)).not.toContain('unprinted');
    await whileReplayIsPaused(async () => {
      await write();
      const late = await examine(standby.url);
      expect(late).toMatchObject({ state: 'warning', detail: expect.stringContaining('behind') });
    });
  });

  test('are never read from a server that is no standby of the primary', async () => {
    const strangers = [primary.url, await freshDatabase()];
    for (const [at, standbyUrl] of strangers.entries()) {
      const service = await startReplicaService({
        primaryUrl: primary.url,
        standbyUrl,
        ring: here.ring,
      });
      await Bun.sleep(500);
      const written = await write();
      expect(await list(service)).toContain(written);
      const reason = at === 0 ? 'primary promoted' : 'primary other_history';
      expect(await service.reads()).toEqual({ [reason]: 1 });
      await service.stop();
    }
  });

  test('are not read from a standby that was promoted, nor from one that follows the old primary', async () => {
    const astray = await primary.addStandby('astray');
    await isReadFromStandby();
    await standby.run('select pg_promote()');
    expect(await readsDuring(list)).toEqual({ 'primary promoted': 1 });
    // The old primary lives on, and is ahead of the new one.
    await primary.run('create table ahead as select generate_series(1, 100000) as n');
    const service = await startReplicaService({
      ...{ primaryUrl: standby.url, standbyUrl: astray.url, ring: here.ring },
    });
    await Bun.sleep(500);
    await list(service);
    expect(await service.reads()).toEqual({ 'primary other_history': 1 });
    await service.stop();
  });
});
