import { expect } from 'bun:test';

/** Above 1 where files run in parallel: see `run-all.ts`. */
const isBesideOthers = Number(process.env.HOLDFAST_TEST_PATIENCE ?? 1) > 1;

/**
 * A bound on time or memory. It is checked where a test file runs alone; in parallel it would
 * measure the other files. So `npm test` leaves it out, and `npm run test:slow` runs every file that
 * imports this once more, alone.
 */
export const expectBelow = (measured: number, bound: number): void => {
  if (!isBesideOthers) expect(measured).toBeLessThan(bound);
};
