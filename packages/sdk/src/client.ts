import { operationsOf } from './build-operations.ts';
import { readRoutes } from './contract-macros.ts' with { type: 'macro' };
import type { Operations } from './operations.ts';
import { type HoldfastOptions, settingsOf } from './settings.ts';
import { type Waits, waitsOf } from './wait.ts';

/** All operations, and `waitFor…` for those that start a job. */
export type Holdfast = Operations & Waits;

export const createHoldfast = (options: HoldfastOptions): Holdfast => {
  const operations = operationsOf<Operations>(settingsOf(options), readRoutes());
  return { ...operations, ...waitsOf(operations) };
};
