import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { chooseRunAs } from '../../../src/db/embedded/user.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../service-process.ts';
import { type NodePlace, nodeSettings, superuser } from './node-settings.ts';
import type { ClusterPrograms } from './programs.ts';

/** How a primary is lost. `machine` is both programs at once, `hang` both suspended. */
export const losses = ['postgres', 'switchover', 'machine', 'hang', 'patroni'] as const;
export type Loss = (typeof losses)[number];

export type Cluster = {
  /** A new database, at an address that names both hosts, the standby of the beginning first. */
  createDatabase(name: string): Promise<string>;
  leader(): Promise<string>;
  /** Ends the primary; resolves when another node has taken over and gives its name. */
  lose(how: Loss): Promise<string>;
  /** Brings back what was lost; resolves when the node follows as a synchronous standby. */
  heal(): Promise<void>;
  stop(): Promise<void>;
};

type Member = { name: string; role: string; state: string };

const startWithinMs = 90_000;
const promoteWithinMs = 60_000;

/** Two PostgreSQL servers, one of them a synchronous standby, under Patroni with etcd. */
export const startCluster = async (programs: ClusterPrograms): Promise<Cluster> => {
  const programsOf = await openPrograms();
  const nodes = await startNodes(programs, programsOf);
  const [first, second] = nodes.places;
  let healing: () => Promise<void> = async () => undefined;

  return {
    leader: nodes.leader,
    async createDatabase(name) {
      const { name: user, password } = superuser;
      const sql = new SQL(`postgres://${user}:${password}@127.0.0.1:${first.port}/postgres`);
      await sql.unsafe(`create role ${name} login password 'service-word'`);
      await sql.unsafe(`create database ${name} owner ${name}`);
      await sql.close();
      const hosts = [second, first].map(({ port }) => `127.0.0.1:${port}`).join();
      return `postgres://${name}:service-word@${hosts}/${name}?target_session_attrs=read-write`;
    },
    async lose(how) {
      const old = await nodes.leader();
      const node = old === second.name ? second : first;
      const pids = await programsOf.pidsOf(old);
      healing = await loseNode(how, node, pids, () => nodes.start(node));
      return eventually(promoteWithinMs, async () => {
        const now = await nodes.leader();
        if (now === old || now === '') throw new Error(`${old} still leads`);
        return now;
      });
    },
    async heal() {
      await healing();
      healing = async () => undefined;
      await nodes.whole();
    },
    async stop() {
      for (const { name } of nodes.places) {
        const { patroni, postgres } = await programsOf.pidsOf(name);
        for (const pid of [patroni, postgres]) signal(pid, 'SIGKILL');
      }
      await programsOf.end();
    },
  };
};

type Programs = Awaited<ReturnType<typeof openPrograms>>;

/** What runs in a folder of its own, as a user that PostgreSQL accepts. */
const openPrograms = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
  const runAs = await chooseRunAs(folder);
  if (runAs) await chown(folder, runAs.uid, runAs.gid);
  const children = new Map<string, Bun.Subprocess>();
  return {
    folder,
    start(name: string, ...command: string[]) {
      const user = runAs && ['--reuid', runAs.name, '--regid', String(runAs.gid), '--clear-groups'];
      const spawned = user ? ['setpriv', ...user, ...command] : command;
      const log = Bun.file(join(folder, `${name}.log`));
      children.set(name, Bun.spawn(spawned, { cwd: folder, stdio: ['ignore', log, log] }));
    },
    pidsOf: async (name: string): Promise<Pids> => ({
      patroni: children.get(name)?.pid ?? 0,
      postgres: await postmasterOf(join(folder, name)),
    }),
    async end() {
      for (const child of children.values()) child.kill('SIGKILL');
      await Promise.all([...children.values()].map(({ exited }) => exited));
      // The children of a killed server end by themselves.
      await Bun.sleep(500);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const startNodes = async (
  { patroni, etcd, binaries }: ClusterPrograms,
  { folder, start }: Programs,
) => {
  const etcdPort = freePort();
  start('etcd', etcd, ...etcdArguments(folder, etcdPort, freePort()));
  const placeOf = (name: string): NodePlace => ({ name, port: freePort(), restPort: freePort() });
  const places = [placeOf('north'), placeOf('south')] as const;
  const startNode = async (node: NodePlace) => {
    const file = join(folder, `${node.name}.yml`);
    await writeFile(file, nodeSettings(node, { folder, binaries, etcdPort }), { mode: 0o644 });
    start(node.name, patroni, file);
  };
  const leader = async () =>
    (await readMembers(places)).find(({ role }) => role === 'leader')?.name ?? '';
  const whole = () =>
    eventually(startWithinMs, async () => {
      const roles = (await readMembers(places)).map(({ role, state }) => `${role} ${state}`);
      if (roles.sort().join() === 'leader running,sync_standby running') return;
      throw new Error(`The cluster is not whole: ${roles.join()}`);
    });

  // One after the other, so that the first one leads.
  await startNode(places[0]);
  await eventually(startWithinMs, async () => {
    if ((await leader()) === '') throw new Error('No node leads yet');
  });
  await startNode(places[1]);
  await whole();
  return { places, leader, whole, start: startNode };
};

const etcdArguments = (folder: string, port: number, peerPort: number): string[] => {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...['--enable-v2', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `default=${peer}`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ];
};

type Pids = { patroni: number; postgres: number };

/** Does it, and gives what undoes it. */
const loseNode = async (
  how: Loss,
  { name, restPort }: NodePlace,
  { patroni, postgres }: Pids,
  startAgain: () => Promise<void>,
): Promise<() => Promise<void>> => {
  switch (how) {
    case 'switchover': {
      const asked = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: name }),
      });
      if (!asked.ok) throw new Error(`No switchover: ${await asked.text()}`);
      return async () => undefined;
    }
    case 'postgres':
      signal(postgres, 'SIGKILL');
      return async () => undefined;
    case 'patroni':
      signal(patroni, 'SIGKILL');
      return startAgain;
    case 'machine':
      signal(patroni, 'SIGKILL');
      signal(postgres, 'SIGKILL');
      return startAgain;
    case 'hang': {
      const all = [patroni, postgres, ...childrenOf(postgres)];
      for (const pid of all) signal(pid, 'SIGSTOP');
      return async () => {
        for (const pid of all) signal(pid, 'SIGCONT');
      };
    }
  }
};

/** The processes are this run's own. */
const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    if (pid > 0) process.kill(pid, name);
  } catch {
    // It has ended already.
  }
};

const childrenOf = (pid: number): number[] => {
  const listed = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)]);
  return listed.stdout.toString().trim().split(/\s+/).filter(Boolean).map(Number);
};

const postmasterOf = async (dataDir: string): Promise<number> => {
  const text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '0');
  return Number(text.split('\n')[0]);
};

/** As the first node that answers knows it. */
const readMembers = async (nodes: readonly NodePlace[]): Promise<Member[]> => {
  for (const { restPort } of nodes) {
    const url = `http://127.0.0.1:${restPort}/cluster`;
    const asked = await fetch(url, { signal: AbortSignal.timeout(1000), keepalive: false })
      .then((answer): Promise<{ members: Member[] }> => answer.json())
      .catch(() => undefined);
    if (asked) return asked.members;
  }
  return [];
};
