import { measureCallbacks } from './verification-callbacks.ts';
import { makeDoor } from './verification-door.ts';
import { measurePages } from './verification-pages.ts';
import type { World } from './world.ts';

/** The newcomers' way in: what it costs us, and what it costs them. */
export const measureVerification = async (world: World): Promise<void> => {
  // First, while this address may still visit: of too many visits only the first are counted.
  await measurePages(world, await makeDoor(world, 'POW'));
  await measureCallbacks(world, await makeDoor(world, 'NONE'));
};
