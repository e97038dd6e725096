import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { processorMs, residentMiB } from '../lib/processes.ts';
import { median } from '../lib/statistics.ts';
import { countRefusals, floorMs, narrow } from './bucket.ts';
import { type EndedPull, type PullBench, type PulledServer, wallMs } from './environment.ts';

const tenants = 10;
const botsEach = 20;
const members = 200;
const goal = 0.95;
const memoryGoalMB = 250;
const mebi = 1024 * 1024;

/** Two hundred pulls at once, each by a bot and so with a bucket of its own, in one worker. */
export const measureManyPulls = async (bench: PullBench): Promise<void> => {
  const pulls = tenants * botsEach;
  print(`pulls: ${pulls} of ${pulls} bots at once, ${members} members each, 10 calls in 10 s`);
  const servers = await addServers(bench);
  await bench.simulator.setLimits(narrow);
  await bench.simulator.clearLog();
  const spent = await pullAll(bench, servers);
  const calls = await bench.simulator.readLog();
  const ratios = spent.runs.map((run) => floorMs(members) / wallMs(run));
  const row = (name: string, valueMs: number) => [
    name,
    seconds(valueMs),
    (floorMs(members) / valueMs).toFixed(3),
  ];
  const walls = spent.runs.map(wallMs);
  printTable(
    ['', 'wall', 'floor / wall'],
    [
      row('floor', floorMs(members)),
      row('fastest', Math.min(...walls)),
      row('median', median(walls)),
      row('slowest', Math.max(...walls)),
    ],
  );
  const peakMB = (spent.peakMiB * mebi) / 1e6;
  const busy = (spent.processorMs / Math.max(...walls)) * 100;
  print(`  ${calls.length} calls, ${countRefusals(calls)} refused`);
  print(`  worker: at most ${peakMB.toFixed(0)} MB, ${busy.toFixed(0)} % of a core`);
  const isReached =
    Math.min(...ratios) >= goal && peakMB < memoryGoalMB && countRefusals(calls) === 0;
  print(
    `  each floor / wall ≥ ${goal}, worker < ${memoryGoalMB} MB, nothing refused: ${verdict(isReached)}\n`,
  );
};

/** An account has at most 50 bots, and each of its pulls counts against its share of a worker. */
const addServers = async (bench: PullBench): Promise<PulledServer[]> => {
  const servers: PulledServer[] = [];
  for (let made = 0; made < tenants; made++) {
    const tenant = await bench.newTenant();
    for (let added = 0; added < botsEach; added++) {
      servers.push(await bench.addServer(tenant, members));
    }
  }
  return servers;
};

type Spent = { runs: EndedPull[]; peakMiB: number; processorMs: number };

const pullAll = async (bench: PullBench, servers: PulledServer[]): Promise<Spent> => {
  const { pid } = bench.worker;
  const usedMs = await processorMs(pid);
  let peakMiB = 0;
  const looking = setInterval(async () => {
    peakMiB = Math.max(peakMiB, await residentMiB(pid));
  }, 1000);
  const pullIds = await Promise.all(servers.map(bench.begin));
  const runs = await bench.untilEnded(pullIds);
  clearInterval(looking);
  const short = runs.filter(({ joined }) => joined !== members);
  if (short.length > 0) throw new Error(`${short.length} pulls did not bring everybody`);
  return { runs, peakMiB, processorMs: (await processorMs(pid)) - usedMs };
};
