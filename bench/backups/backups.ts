import type { Bench } from '../lib/environment.ts';
import { measureAlone } from './alone.ts';
import { measureFifty } from './fifty.ts';
import { measureWaiting } from './idle.ts';
import { createBackupOwner } from './owner.ts';
import { measurePosting } from './posting.ts';
import { measureTestRestores } from './test-restores.ts';

/** Backups and restores against what the platform's limits allow, and the cost of an idle worker. */
export const measureBackups = async (bench: Bench): Promise<void> => {
  const owner = await createBackupOwner(bench, 1);
  await measureWaiting(bench, owner);
  await measureAlone(bench, owner);
  await measurePosting(bench, owner);
  await measureTestRestores();
  await measureFifty(bench);
  await bench.simulator.setLimits({});
};
