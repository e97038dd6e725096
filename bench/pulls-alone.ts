import { print, printTable, seconds, verdict } from './print.ts';
import { countRefusals, floorMs, narrow } from './pulls-bucket.ts';
import { type PullsWorld, wallMs } from './pulls-world.ts';

const members = 200;
const goal = 1.02;

/** One pull alone against the least time that its bucket allows. */
export const measurePullAlone = async (world: PullsWorld): Promise<void> => {
  print(`pulls: ${members} members, 10 calls in 10 s`);
  const server = await world.addServer(await world.newTenant(), members);
  await world.simulator.setLimits(narrow);
  await world.simulator.clearLog();
  const [run] = await world.untilEnded([await world.begin(server)]);
  if (run?.joined !== members) throw new Error(`Only ${run?.joined} joined: ${run?.status}`);
  const calls = await world.simulator.readLog();
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
