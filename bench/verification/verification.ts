import type { Bench } from '../lib/environment.ts';
import { measureCallbacks } from './callbacks.ts';
import { measurePages } from './pages.ts';
import { makeServer } from './server.ts';

/** Verification: the cost of callbacks for the service, and of pages for the newcomer. */
export const measureVerification = async (bench: Bench): Promise<void> => {
  // Pages first: visits of one address are limited.
  await measurePages(bench, await makeServer(bench, 'POW'));
  await measureCallbacks(bench, await makeServer(bench, 'NONE'));
};
