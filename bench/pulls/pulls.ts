import { measurePullAlone } from './alone.ts';
import { startPullBench } from './environment.ts';
import { measureFairness } from './fairness.ts';
import { measureManyPulls } from './many.ts';

/** How near to what the platform's buckets allow: one pull, two hundred, and one that is very large. */
export const measurePulls = async (): Promise<void> => {
  const bench = await startPullBench();
  try {
    await measurePullAlone(bench);
    await measureManyPulls(bench);
    await measureFairness(bench);
  } finally {
    await bench.stop();
  }
};
