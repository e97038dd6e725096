import { expect } from 'bun:test';

/** Set by `npm test` alone: see `run-all.ts`. */
const isBesideOthers = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1) > 1;

/**
 * A bound on time or memory. It is held to wherever a test file runs alone; beside other files it would
 * measure those. So `npm test` leaves it out, and `npm run test:slow` runs every file that imports this
 * once more, with nothing beside it.
 */
export const expectBelow = (measured: number, bound: number): void => {
  if (!isBesideOthers) expect(measured).toBeLessThan(bound);
};
