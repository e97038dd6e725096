import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../test/harness/backups/fixture.ts';
import { openDashboard } from '../../../test/harness/dashboard/session.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';
import { type ServiceProcess, startProcess } from '../../../test/harness/service-process.ts';
import { startTestSimulator, type TestSimulator } from '../../../test/harness/simulator/start.ts';
import { generateMasterKey, parseKeyRing } from '../../kernel/seal.ts';

const masterKey = generateMasterKey();
let simulator: TestSimulator;
let service: TestService;
let fixture: BackupFixture;
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({
    ...{ platformApiUrl: simulator.apiUrl, ring: parseKeyRing(masterKey) },
    doesWork: ['backups.run'],
  });
  fixture = createBackupFixture(service, simulator);
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await service.stop();
  await simulator.stop();
});

const startWorker = async () => {
  const worker = await startProcess({
    ...{ ROLE: 'worker', WORKER_ID: 'driller', MASTER_KEYS: masterKey },
    ...{ DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir },
    PLATFORM_API_URL: simulator.apiUrl,
  });
  workers.push(worker);
  return worker;
};

/** The simulators that it started. */
const childrenOf = ({ pid }: ServiceProcess): number[] =>
  Bun.spawnSync(['ps', '-o', 'pid=,args=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
    .flatMap((line) => (line.includes('packages/simulator') ? Number.parseInt(line, 10) : []));

const isThere = (pid: number): boolean =>
  Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)])
    .stdout.toString()
    .trim() !== '';

const protectedServer = async (): Promise<OwnedGuild> => {
  const server = await fixture.newServer();
  expect(await fixture.takeBackup(server)).toMatchObject({ status: 'completed' });
  const path = `/api/v1/servers/${server.serverId}`;
  await server.tenant.call('PUT', path, { body: { antiNukeEnabled: true } });
  return server;
};

test('a drill measures an attack on a copy, survives its worker, and touches nothing else', async () => {
  const server = await protectedServer();
  const dashboard = await openDashboard(service, server.tenant);
  const path = `/servers/${server.serverId}/drills`;
  const { length: requests } = await simulator.control('GET', '/log');
  expect((await dashboard.call('POST', path)).status).toBe(202);
  expect((await dashboard.call('POST', path)).status).toBe(409);

  const first = await startWorker();
  const orphan = await eventually(20_000, () => {
    const [child] = childrenOf(first);
    if (child === undefined) throw new Error('No simulator yet');
    return child;
  });
  // Until it serves: before that, it would end by itself when it cannot tell its address.
  await Bun.sleep(2500);
  first.kill('SIGKILL');
  await eventually(5000, () => expect(isThere(orphan)).toBe(false));

  const second = await startWorker();
  const drill = await eventually(60_000, async () => {
    const { data } = (await dashboard.call('GET', path)).body;
    expect(data.drills[0].status).not.toBeOneOf(['queued', 'running']);
    return data.drills[0];
  });
  expect(drill).toMatchObject({ status: 'completed', outcome: 'STOPPED' });
  const { objects, objectsLost, ...figures } = drill.figures;
  expect(objectsLost).toBeWithin(1, Math.min(11, objects));
  expect(figures.detectedAfterMs).toBeWithin(1, figures.stoppedAfterMs);
  expect(figures.stoppedAfterMs).toBeLessThan(figures.repairedAfterMs);
  expect(figures.differences).toBe(0);
  const again = await dashboard.call('POST', path);
  expect(again.status).toBe(429);
  expect(Number(again.headers.get('retry-after'))).toBeWithin(3000, 3601);
  process.stdout.write(`${JSON.stringify(drill.figures)}\n`);

  await eventually(5000, () => expect(childrenOf(second)).toEqual([]));
  type Logged = { method: string; path: string };
  const log: Logged[] = await simulator.control('GET', `/log?since=${requests}`);
  // A worker reads who owns the guild once it is protected.
  const changes = log.filter(({ method }) => method !== 'GET');
  expect(changes.filter(({ path: to }) => to.includes(server.guildId))).toEqual([]);
  const [left] = await service.db.$client`
    select (select count(*) from incidents) as incidents, (select count(*) from guild_acts) as acts,
      (select count(*) from alerts where kind = 'INCIDENT') as alerts`;
  expect(left).toEqual({ incidents: '0', acts: '0', alerts: '0' });
});
