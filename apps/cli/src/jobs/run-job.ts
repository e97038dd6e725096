import type { Holdfast } from '@holdfast/sdk';
import type { JobKind } from '@holdfast/sdk/catalog';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { followJob, type Job, type JobRecord, watchLine } from './follow.ts';
import { type Records, summarize } from './summary.ts';

/** Where a job was begun: waits for its end and shows the outcome, or only says how to follow it. */
export const finishJob = async (
  context: Context,
  holdfast: Holdfast,
  kind: JobKind,
  job: Job,
  { label, waits }: { label: string; waits: boolean },
): Promise<JobRecord | undefined> => {
  const { output } = context;
  if (!waits) {
    await output.show(
      job,
      () => `The ${kind} has begun. Follow it: ${watchLine(context, kind, job)}`,
    );
    return undefined;
  }
  const record = await followJob(context, holdfast, kind, job, label);
  // A record that was waited for is of the kind that was waited for.
  const done = record as Records[typeof kind];
  await output.show(done, () => summarize(kind, done, context));
  return record;
};

/** Most of it is restored, and what is missing was shown; a script must know all the same. */
export const failIfPartial = (record: JobRecord | undefined): void => {
  if (record?.status !== 'partial') return;
  throw new CommandError('jobFailed', 'The restore ended with something missing');
};
