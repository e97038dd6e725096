import type { IdMap } from './id-map.ts';
import type { Loss } from './step.ts';

/** What the planner knew, kept for a worker that takes over. */
export type Groundwork = {
  /** Which thing of the backup is which of the target, before the first step. */
  idMap: IdMap;
  /** Everything that was there: what turns up beside it was made by the restore. */
  idsBefore: string[];
  losses: Loss[];
  warnings: string[];
};
