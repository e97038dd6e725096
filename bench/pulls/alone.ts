import { print, printTable, seconds, verdict } from '../lib/print.ts';
import { countRefusals, floorMs, narrow } from './bucket.ts';
import { type PullBench, wallMs } from './environment.ts';

const members = 200;
const goal = 1.02;

/** One pull alone against the least time that its bucket allows. */
export const measurePullAlone = async (bench: PullBench): Promise<void> => {
  print(`pulls: ${members} members, 10 calls in 10 s`);
  const server = await bench.addServer(await bench.newTenant(), members);
  await bench.simulator.setLimits(narrow);
  await bench.simulator.clearLog();
  const [run] = await bench.untilEnded([await bench.begin(server)]);
  if (run?.joined !== members) throw new Error(`Only ${run?.joined} joined: ${run?.status}`);
  const calls = await bench.simulator.readLog();
  const floor = floorMs(members);
  const ratio = wallMs(run) / floor;
  printTable(
    ['', 'calls', 'refused', 'floor', 'wall', 'ratio'],
    [
      [
        'one pull',
        String(calls.length),
        String(countRefusals(calls)),
        seconds(floor),
        seconds(wallMs(run)),
        ratio.toFixed(3),
      ],
    ],
  );
  const isReached = ratio <= goal && countRefusals(calls) === 0;
  print(`  wall / floor ≤ ${goal}, nothing refused: ${verdict(isReached)}\n`);
};
