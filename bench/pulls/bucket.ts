import type { Limits, LoggedCall } from '../lib/simulator.ts';

const perBucket = 10;
const perMs = 10_000;

/** Ten members in ten seconds; all else is as it is by default. */
export const narrow: Partial<Limits> = {
  routes: { 'PUT /guilds/:id/members/:id': { limit: perBucket, perMs } },
};

/** The first ten go at once, and each further ten when the bucket is full again. */
export const floorMs = (members: number): number => (Math.ceil(members / perBucket) - 1) * perMs;

export const countRefusals = (calls: readonly LoggedCall[]): number =>
  calls.filter(({ status }) => status === 429).length;
