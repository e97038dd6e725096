import { measurePullAlone } from './pulls-alone.ts';
import { measureFairness } from './pulls-fair.ts';
import { measureManyPulls } from './pulls-many.ts';
import { createPullsWorld } from './pulls-world.ts';

/** How near to what the platform's buckets allow: one pull, two hundred, and one that is very large. */
export const measurePulls = async (): Promise<void> => {
  const world = await createPullsWorld();
  try {
    await measurePullAlone(world);
    await measureManyPulls(world);
    await measureFairness(world);
  } finally {
    await world.stop();
  }
};
