import { randomPlatformId } from '../harness/service.ts';
import type { TestSimulator } from '../harness/simulator/start.ts';
import { findDifferences } from '../nemesis/guild/describe-guild.ts';
import { damageGuild } from '../nemesis/guild/guild.ts';
import type { Requests } from './requests.ts';
import type { Seed } from './seed.ts';

export type JobOutcome = { kind: 'backup' | 'restore' | 'pull'; fault: string | undefined };

const clients = { readers: 4, writers: 2 };
const pauseMs = 20;
const pollMs = 200;
const underWay = ['queued', 'snapshotting', 'running', 'pending'];
const jobWithinMs = 180_000;

type Options = { requests: Requests; simulator: TestSimulator; seed: Seed };

/** Reads, writes and jobs without a pause, until it is told to end; jobs that run are then waited for. */
export const startLoad = ({ requests, simulator, seed }: Options) => {
  const jobs: JobOutcome[] = [];
  let writes = 0;
  let isEnding = false;
  const reads = readsOf(requests, seed);

  const read = async (client: number) => {
    for (let index = client; !isEnding; index++) {
      await reads[index % reads.length]?.();
      await Bun.sleep(pauseMs);
    }
  };
  const write = async () => {
    const path = `/api/v1/servers/${seed.serverId}/blacklist`;
    while (!isEnding) {
      const body = { platformId: randomPlatformId() };
      if (await requests.send('POST', path, { body })) writes++;
      await Bun.sleep(pauseMs);
    }
  };
  const restore = async () => {
    const run = restoring({ requests, simulator, seed }, (outcome) => jobs.push(outcome));
    while (!isEnding) await run();
  };
  const pull = async () => {
    for (const server of seed.pullServers) {
      if (isEnding) return;
      jobs.push({ kind: 'pull', fault: await pullInto(requests, simulator, server) });
    }
  };
  const running = Promise.all([
    ...Array.from({ length: clients.readers }, (_, at) => read(at)),
    ...Array.from({ length: clients.writers }, write),
    ...[restore(), pull()],
  ]);
  return {
    takeJobs: () => jobs.splice(0),
    async end(): Promise<{ writes: number }> {
      isEnding = true;
      await running;
      return { writes };
    },
  };
};

/** By key, by session, and lists. */
const readsOf = ({ send }: Requests, { serverId, cookie }: Seed) => [
  () => send('GET', '/api/v1/account'),
  () => send('GET', '/api/v1/servers'),
  () => send('GET', `/api/v1/servers/${serverId}/members`),
  () => send('GET', '/api/v1/audit'),
  () => send('GET', '/dashboard/api/account', { headers: { cookie } }),
];

type Ended = { status: string; error?: string | null; warnings?: string[] };

const untilEnded = async ({ send }: Requests, path: string): Promise<Ended> => {
  const deadline = performance.now() + jobWithinMs;
  while (performance.now() < deadline) {
    const reply = await send('GET', path);
    const { data } = JSON.parse(reply?.text ?? '{"data":{"status":"queued"}}');
    if (!underWay.includes(data.status)) return data;
    await Bun.sleep(pollMs);
  }
  return { status: 'not ended' };
};

const faultOf = ({ status, error, warnings = [] }: Ended): string | undefined =>
  status === 'completed' && warnings.length === 0
    ? undefined
    : `${status}: ${error ?? warnings.join('; ')}`;

/** Backs the guild up, wrecks it and restores it; it must then be what it was. */
const restoring = ({ requests, simulator, seed }: Options, note: (outcome: JobOutcome) => void) => {
  const guild = `/guilds/${seed.guildId}`;
  const backups = `/api/v1/servers/${seed.serverId}/backups`;
  const begin = async (path: string): Promise<string | undefined> => {
    const reply = await requests.send('POST', path, { body: {} });
    return reply && JSON.parse(reply.text).data.id;
  };
  return async (): Promise<void> => {
    const backupId = await begin(backups);
    if (backupId === undefined) return;
    const backup = await untilEnded(requests, `${backups}/${backupId}`);
    note({ kind: 'backup', fault: faultOf(backup) });
    if (backup.status !== 'completed') return;
    const whole = await simulator.control('GET', guild);
    await simulator.control('PUT', guild, damageGuild(whole));
    const restoreId = await begin(`${backups}/${backupId}/restore`);
    if (restoreId === undefined) return;
    const restored = await untilEnded(requests, `/api/v1/restores/${restoreId}`);
    const differences = findDifferences(whole, await simulator.control('GET', guild));
    note({ kind: 'restore', fault: faultOf(restored) ?? differences[0] });
  };
};

const memberRoute = 'PUT /guilds/:id/members/:id';

/** So slow that a pull outlives the worker that began it. */
export const slowPulls = async (simulator: TestSimulator): Promise<void> => {
  const limits = await simulator.control('GET', '/limits');
  const routes = { [memberRoute]: { limit: 4, perMs: 1000 } };
  await simulator.control('PUT', '/limits', { ...limits, routes });
};

/** Everybody must have joined, and nobody twice. */
const pullInto = async (
  requests: Requests,
  simulator: TestSimulator,
  { serverId, guildId, members }: Seed['pullServers'][number],
): Promise<string | undefined> => {
  const reply = await requests.send('POST', `/api/v1/servers/${serverId}/pull`, { body: {} });
  if (!reply) return 'it did not begin';
  const { id } = JSON.parse(reply.text).data;
  const pull = await untilEnded(requests, `/api/v1/pulls/${id}`);
  const log: { method: string; path: string; status: number }[] = await simulator.control(
    'GET',
    '/log',
  );
  const joined = log.filter(
    ({ method, path, status }) =>
      method === 'PUT' && status === 201 && path.includes(`/guilds/${guildId}/members/`),
  );
  const people = new Set(joined.map(({ path }) => path));
  const isRight = people.size === members && joined.length === members;
  return faultOf(pull) ?? (isRight ? undefined : `${joined.length} of ${members} joined`);
};
