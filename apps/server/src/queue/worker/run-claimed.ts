import { redactError } from '../../kernel/describe-error.ts';
import { askedWaitMs, withPatience } from '../../kernel/patience.ts';
import type { Job } from '../job.ts';
import { type ClaimedJob, type LeasedRunDependencies, runLeased } from '../lease/leased-run.ts';
import { putOffJob } from '../queries.ts';

/** pg-boss stores a failure after the run has ended; polling finds what takes longer than this. */
const retryStoredMs = 100;

/** Runs one entry of the queue. */
export const runClaimed = async (
  dependencies: LeasedRunDependencies,
  job: Job,
  claimed: ClaimedJob,
): Promise<void> => {
  const { log, onQueued } = dependencies;
  try {
    await withPatience(patienceOf(job), () => runOnce(dependencies, job, claimed));
  } catch (err) {
    // Where the database does not take it, the run fails as any other.
    if (await putOff(dependencies, job, claimed, err).catch(() => false)) return;
    log.error({ err, job: job.name, jobId: claimed.id }, 'job failed; it will be tried again');
    // Once pg-boss has stored when that is.
    setTimeout(() => onQueued(job.name, true), retryStoredMs);
    throw redactError(err);
  }
};

const runOnce = async (
  dependencies: LeasedRunDependencies,
  job: Job,
  claimed: ClaimedJob,
): Promise<void> => {
  if (job.subjectOf) return await runLeased(dependencies, job, claimed);
  const payload = job.payload.parse(claimed.data);
  const endRun = dependencies.runs.add(job.name);
  try {
    await dependencies.metrics.timeJob(job.name, () => job.run(payload, claimed.signal));
  } finally {
    endRun();
  }
};

const patienceOf = ({ subjectOf, patienceMs }: Job): number =>
  patienceMs ?? (subjectOf ? Number.POSITIVE_INFINITY : 1000);

/** Whatever asks for a longer wait is asked again after this time. */
const longestPutOffMs = 6 * 60 * 60 * 1000;

/**
 * Whether the failure only means that it is too early. The run then counts as no attempt. Nobody is told of when it is
 * due: polling knows, and a thousand may be put off in a second.
 */
const putOff = async (
  { db }: LeasedRunDependencies,
  { name }: Job,
  { id }: ClaimedJob,
  failure: unknown,
): Promise<boolean> => {
  const askedMs = askedWaitMs(failure);
  if (askedMs === undefined) return false;
  return putOffJob(db, { name, id }, Math.min(askedMs, longestPutOffMs));
};
