import { operationsOf } from './build-operations.ts';
import { readRoutes } from './contract-macros.ts' with { type: 'macro' };
import type { Operations } from './operations.ts';
import { type HoldfastOptions, type Settings, settingsOf } from './settings.ts';
import { type Waits, waitsOf } from './wait.ts';

/** All operations, and `waitFor…` for those that start a job. */
export type Holdfast = Operations & Waits;

/** A client of the API; nothing is sent before a method is called. */
export const createHoldfast = (options: HoldfastOptions): Holdfast =>
  holdfastOf(settingsOf(options));

export const holdfastOf = (settings: Settings): Holdfast => {
  const operations = operationsOf<Operations>(settings, readRoutes());
  return { ...operations, ...waitsOf(settings, operations) };
};
