import { measureAlone } from './backups-alone.ts';
import { measureFifty } from './backups-fifty.ts';
import { measureWaiting } from './backups-idle.ts';
import { createBackupOwner } from './backups-owner.ts';
import type { World } from './world.ts';

/** How near to what the platform's limits allow, and what a worker costs that has nothing to do. */
export const measureBackups = async (world: World): Promise<void> => {
  const owner = await createBackupOwner(world, 1);
  await measureWaiting(world, owner);
  await measureAlone(world, owner);
  await measureFifty(world);
  await world.simulator.setLimits({});
};
