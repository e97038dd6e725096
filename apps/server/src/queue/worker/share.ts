import type { JobDefinition } from '../job.ts';

/** A job of the system is alone, so that two runs of it do not meet. */
const usualRunners = { system: 1, grouped: 4 };

/** How many jobs of a queue one worker runs at once. */
export const runnersOf = ({ concurrency, groupOf }: JobDefinition<object>): number =>
  concurrency ?? (groupOf ? usualRunners.grouped : usualRunners.system);

/** Of the runners of one worker a group has an eighth, over all workers together, and at least one. */
export const shareOf = (job: JobDefinition<object>): number =>
  Math.max(1, Math.floor(runnersOf(job) / 8));
