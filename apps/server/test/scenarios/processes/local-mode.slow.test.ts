import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findRunningEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import {
  connectSql,
  isAlive,
  makeFolder,
  request,
  startService,
  stopServices,
} from '../../harness/running-service.ts';
import {
  freePort,
  runAdmin,
  runStart,
  type ServiceProcess,
} from '../../harness/service-process.ts';

/** An empty setting is none: this start has nothing set but where it may put things. */
const startAlone = (env: Record<string, string>): Promise<ServiceProcess> =>
  startService({
    PLATFORM_API_URL: '',
    PLATFORM_CLIENT_ID: '',
    PLATFORM_CLIENT_SECRET: '',
    ...env,
  });

type Greeting = { curl: string; url: string; headers: Record<string, string>; simulator: string };

/** What a person sees, taken apart as their shell would. */
const readGreeting = (service: ServiceProcess): Promise<Greeting> =>
  eventually(5000, () => {
    const curl = /curl -H '(\S+): (.+)' (\S+)\n/.exec(service.output());
    const simulator = /Platform simulator +(\S+)\n/.exec(service.output());
    if (!curl || !simulator) throw new Error(`No greeting:\n${service.output()}`);
    const [line, name = '', value = '', url = ''] = curl;
    return { curl: line, url, headers: { [name]: value }, simulator: simulator[1] ?? '' };
  });

type About = { name: string; pid: number; ownerPid: number | null };

const simulators = new Set<number>();

const aboutSimulator = async (url: string): Promise<About> => {
  const about = (await request(url, 'GET', '/__sim')).body;
  expect(about.name).toBe('holdfast-simulator');
  simulators.add(about.pid);
  return about;
};

const end = async (service: ServiceProcess, signal: NodeJS.Signals): Promise<number> => {
  service.kill(signal);
  return service.exited;
};

afterAll(async () => {
  await stopServices();
  const left = [...simulators].filter(isAlive);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  expect(left).toEqual([]);
});

describe('with nothing set', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let first: Greeting;

  beforeAll(async () => {
    dataDir = await makeFolder();
    service = await startAlone({ DATA_DIR: dataDir });
    first = await readGreeting(service);
  });

  const getAs = async (greeting: Greeting, path = '/api/v1/account') => {
    const { origin } = new URL(greeting.url);
    return request(origin, 'GET', path, { headers: greeting.headers });
  };

  test('it says that it is local mode, and prints a request that works', async () => {
    expect(service.output()).toContain('local mode');
    expect(new URL(first.url).origin).toBe(service.url);
    const account = await fetch(first.url, { headers: first.headers });
    expect(account.status).toBe(200);
    expect((await account.json()).data).toMatchObject({
      plan: 'BUSINESS',
      username: 'amber.otter',
      _count: { servers: 1, customBots: 1 },
    });
  });

  test('the demo community has members, most of whom may be called back', async () => {
    const [listed] = (await getAs(first, '/api/v1/servers')).body.data;
    const server = (await getAs(first, `/api/v1/servers/${listed.id}`)).body.data;
    expect(server._count).toMatchObject({ members: 40, pullableMembers: 30 });
    const bots = (await getAs(first, '/api/v1/bots')).body.data;
    expect(bots).toMatchObject([{ id: server.customBotId, isActive: true }]);
  });

  test('the demo bot and its community are on the pretend platform under the same ids', async () => {
    const [bot] = (await getAs(first, '/api/v1/bots')).body.data;
    const [server] = (await getAs(first, '/api/v1/servers')).body.data;
    const authorization = `Bot ${Buffer.from(bot.clientId).toString('base64')}.demo.bot`;
    const ask = (path: string) =>
      request(first.simulator, 'GET', `/api/v10${path}`, { headers: { authorization } });
    expect((await ask('/users/@me')).body.id).toBe(bot.clientId);
    expect((await ask(`/guilds/${server.platformGuildId}`)).body.name).toBe(server.name);
    const there = (await ask(`/guilds/${server.platformGuildId}/members?limit=1000`)).body;
    const ids = there.map(({ user }: { user: { id: string } }) => user.id);
    const members = (await getAs(first, `/api/v1/servers/${server.id}/members?limit=100`)).body;
    const gone = members.data.filter(
      (one: { platformId: string }) => !ids.includes(one.platformId),
    );
    expect([members.data.length, gone.length]).toEqual([40, 2]);
  });

  test('every step that made the demo account is in its audit log, by the system', async () => {
    const entries = (await getAs(first, '/api/v1/audit')).body.data;
    expect(new Set(entries.map(({ actor }: { actor: { type: string } }) => actor.type))).toEqual(
      new Set(['SYSTEM']),
    );
    const actions = entries.map(({ action }: { action: string }) => action).toReversed();
    const made = ['plan.set', 'bot.create', 'server.create', 'members.seed', 'key.create'];
    expect(actions).toEqual(made);
    const { id } = (await getAs(first)).body.data;
    const verified = await runAdmin({ DATA_DIR: dataDir }, 'verify-audit', '--user', id);
    expect(verified.exitCode).toBe(0);
  });

  test('only its owner can read the key that is kept for the next start', async () => {
    const { mode } = await stat(join(dataDir, 'demo.key'));
    expect((mode & 0o777).toString(8)).toBe('600');
  });

  test('killed, it leaves its simulator running, which the next start joins and then stops', async () => {
    const before = await aboutSimulator(first.simulator);
    expect(before.ownerPid).toBe(service.pid);
    await end(service, 'SIGKILL');
    expect(await aboutSimulator(first.simulator)).toEqual(before);

    service = await startAlone({ DATA_DIR: dataDir });
    const second = await readGreeting(service);
    expect(second.simulator).toBe(first.simulator);
    const after = await aboutSimulator(second.simulator);
    expect(after).toMatchObject({ pid: before.pid, ownerPid: service.pid });

    expect(await end(service, 'SIGTERM')).toBe(0);
    expect(isAlive(before.pid)).toBe(false);
  });

  test('started again, it prints the same key, and nothing has changed', async () => {
    service = await startAlone({ DATA_DIR: dataDir });
    const again = await readGreeting(service);
    expect(again.headers).toEqual(first.headers);
    expect((await getAs(again)).status).toBe(200);
    expect((await getAs(again, '/api/v1/audit')).body.pagination.total).toBe(5);
    expect((await getAs(again, '/api/v1/keys')).body.pagination.total).toBe(1);
  });

  test('a key that is revoked, or whose file is lost, is followed by one that works', async () => {
    const revoke = async () => {
      const [key] = (await getAs(await readGreeting(service), '/api/v1/keys')).body.data;
      return runAdmin({ DATA_DIR: dataDir }, 'revoke-key', '--key-id', key.id);
    };
    for (const lose of [revoke, () => rm(join(dataDir, 'demo.key'))]) {
      const before = await readGreeting(service);
      await lose();
      await end(service, 'SIGTERM');
      service = await startAlone({ DATA_DIR: dataDir });
      const after = await readGreeting(service);
      expect(after.headers).not.toEqual(before.headers);
      expect((await getAs(after)).status).toBe(200);
    }
  });

  test('what became of the demo account is left as it is', async () => {
    const sql = connectSql((await findRunningEmbeddedPostgres(dataDir)) ?? '');
    await sql`update accounts set plan = 'FREE'`;
    await sql`delete from servers`;
    await sql.close();
    await end(service, 'SIGTERM');
    service = await startAlone({ DATA_DIR: dataDir });
    const account = (await getAs(await readGreeting(service))).body.data;
    expect(account).toMatchObject({ plan: 'FREE', _count: { servers: 0, customBots: 1 } });
  });

  test('asked to stop while it still starts, it leaves no simulator behind', async () => {
    await end(service, 'SIGTERM');
    const starting = startAlone({ DATA_DIR: dataDir }).catch((error: Error) => error);
    const record = Bun.file(join(dataDir, 'simulator.pid'));
    const { pid } = await eventually(20_000, () => record.json());
    simulators.add(pid);
    const lock = await Bun.file(join(dataDir, 'holdfast.lock')).json();
    process.kill(lock.pid, 'SIGINT');
    await starting;
    await eventually(10_000, () => expect(isAlive(lock.pid)).toBe(false));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('the port of the simulator', () => {
  const listen = async () => {
    const server = createServer((socket) => socket.resume().end('not HTTP at all\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    return { port, close: () => new Promise((resolve) => server.close(resolve)) };
  };

  test('taken by another program is told in one sentence that names the setting', async () => {
    const stranger = await listen();
    const env = { DATABASE_URL: await freshDatabase(), PLATFORM_API_URL: '' };
    const { exitCode, stderr } = await runStart({ ...env, SIMULATOR_PORT: stranger.port });
    await stranger.close();
    expect(exitCode).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(stranger.port);
    expect(stderr).toContain('SIMULATOR_PORT');
  });

  test('is shared by services that start together: one runs it, and it ends with that one', async () => {
    const env = {
      DATABASE_URL: await freshDatabase(),
      DATA_DIR: await makeFolder(),
      SIMULATOR_PORT: String(freePort()),
    };
    const services = await Promise.all([startAlone(env), startAlone({ ...env, ROLE: 'worker' })]);
    const { pid, ownerPid } = await aboutSimulator(`http://127.0.0.1:${env.SIMULATOR_PORT}`);
    const [owner, guest] = services.toSorted((a) => (a.pid === ownerPid ? -1 : 1));
    if (!owner || !guest) throw new Error('Two services were started');
    expect(owner.pid).toBe(ownerPid ?? 0);
    await end(guest, 'SIGTERM');
    expect(isAlive(pid)).toBe(true);
    await end(owner, 'SIGTERM');
    expect(isAlive(pid)).toBe(false);
  });

  test('held by a simulator that somebody started by hand is joined, and that one outlives us', async () => {
    const port = String(freePort());
    const program = join(import.meta.dir, '../../../../../packages/simulator/src/main.ts');
    const env = { PATH: process.env.PATH, SIMULATOR_PORT: port };
    const byHand = Bun.spawn([process.execPath, program], { env, stdout: 'pipe' });
    const { pid } = await eventually(20_000, () => aboutSimulator(`http://127.0.0.1:${port}`));
    expect(pid).toBe(byHand.pid);

    const service = await startAlone({
      DATABASE_URL: await freshDatabase(),
      SIMULATOR_PORT: port,
      DATA_DIR: await makeFolder(),
    });
    expect((await readGreeting(service)).simulator).toBe(`http://127.0.0.1:${port}`);
    await end(service, 'SIGTERM');
    expect(isAlive(pid)).toBe(true);
    byHand.kill('SIGTERM');
    await byHand.exited;
  });

  test('when it changes after a crash, the simulator left on the old one makes way', async () => {
    const env = { DATABASE_URL: await freshDatabase(), DATA_DIR: await makeFolder() };
    const crashed = await startAlone(env);
    const old = await aboutSimulator((await readGreeting(crashed)).simulator);
    await end(crashed, 'SIGKILL');
    const SIMULATOR_PORT = String(freePort());
    const service = await startAlone({ ...env, SIMULATOR_PORT });
    const { pid } = await aboutSimulator(`http://127.0.0.1:${SIMULATOR_PORT}`);
    expect(isAlive(old.pid)).toBe(false);
    await end(service, 'SIGTERM');
    expect(isAlive(pid)).toBe(false);
  });
});

test('a simulator that ends by itself is told in the log', async () => {
  const service = await startAlone({
    DATABASE_URL: await freshDatabase(),
    DATA_DIR: await makeFolder(),
  });
  const { pid } = await aboutSimulator((await readGreeting(service)).simulator);
  process.kill(pid, 'SIGKILL');
  await eventually(5000, () => expect(service.output()).toMatch(/"level":"error".*simulator/));
  expect(await end(service, 'SIGTERM')).toBe(0);
});

test('with credentials of the real platform there is neither a simulator nor a demo account', async () => {
  const database = await freshDatabase();
  const dataDir = await makeFolder();
  const service = await startAlone({
    DATABASE_URL: database,
    DATA_DIR: dataDir,
    PLATFORM_CLIENT_ID: '498605767562051586',
    PLATFORM_CLIENT_SECRET: crypto.randomUUID(),
  });
  expect(service.url).toStartWith('http://localhost:');
  expect(service.output()).toContain('https://discord.com/api');
  expect(service.output()).not.toMatch(/local mode|curl|simulator/);
  expect(await connectSql(database)`select id from accounts`).toHaveLength(0);
  expect(await Bun.file(join(dataDir, 'simulator.pid')).exists()).toBe(false);
});
