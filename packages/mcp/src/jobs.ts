import { type Holdfast, HoldfastJobFailed, type Output } from '@holdfast/sdk';
import type { JobKind } from '@holdfast/sdk/catalog';
import { z } from 'zod';
import type { Answer } from './answer.ts';
import type { ToolRequest } from './tool.ts';

/** Clients give up after a minute, and a connection that is silent for half a minute is closed. */
const longestWaitSeconds = 20;

export const waitSeconds = z
  .int()
  .min(0)
  .max(longestWaitSeconds)
  .describe(
    `How long to wait for it to end, at most ${longestWaitSeconds} s, with progress notifications if the client asked for them. It goes on in any case.`,
  );

type Job = { kind: JobKind; id: string; serverId: string };

type JobRecord = Output<'getBackup'> | Output<'getRestore'> | Output<'getPull'>;

export const jobShape = z.looseObject({
  job: z.looseObject({ kind: z.string(), id: z.string(), serverId: z.string() }),
  hasEnded: z.boolean(),
  record: z.looseObject({ status: z.string(), progress: z.number() }),
});

/** The record of a job as it is now, or when it ended within the wait. */
export const followJob = async (
  holdfast: Holdfast,
  job: Job,
  seconds: number,
  request: ToolRequest,
): Promise<Answer> => {
  const record =
    seconds === 0 ? await readJob(holdfast, job) : await awaitJob(holdfast, job, seconds, request);
  return answerOf(job, record);
};

/** The answer about a job whose record was just returned. */
export const startedJob = (
  holdfast: Holdfast,
  kind: JobKind,
  record: JobRecord,
  seconds: number,
  request: ToolRequest,
): Promise<Answer> | Answer => {
  const job = { kind, id: record.id, serverId: record.serverId };
  return seconds === 0 ? answerOf(job, record) : followJob(holdfast, job, seconds, request);
};

export const activeStatuses = ['queued', 'snapshotting', 'running'];

const answerOf = (job: Job, record: JobRecord): Answer => {
  const hasEnded = !activeStatuses.includes(record.status);
  return {
    guidance: hasEnded ? [] : ['It is under way. Call follow_job with `job` to see how far it is.'],
    data: { job, hasEnded, record },
  };
};

const readJob = (holdfast: Holdfast, { kind, id, serverId }: Job): Promise<JobRecord> => {
  if (kind === 'backup') return holdfast.getBackup({ params: { id: serverId, backupId: id } });
  if (kind === 'restore') return holdfast.getRestore({ params: { id } });
  return holdfast.getPull({ params: { id } });
};

const awaitJob = async (
  holdfast: Holdfast,
  job: Job,
  seconds: number,
  { signal, reportProgress }: ToolRequest,
): Promise<JobRecord> => {
  const timeout = AbortSignal.timeout(seconds * 1000);
  let latest: JobRecord | undefined;
  const options = {
    signal: AbortSignal.any([signal, timeout]),
    onProgress(record: JobRecord) {
      latest = record;
      // A client that is gone is noticed by `signal`.
      reportProgress(record.progress, record.status).catch(() => undefined);
    },
  };
  try {
    if (job.kind === 'backup') return await holdfast.waitForBackup(job, options);
    if (job.kind === 'restore') return await holdfast.waitForRestore(job, options);
    return await holdfast.waitForPull(job, options);
  } catch (error) {
    // How it ended is part of its record, and the end of the wait is no failure.
    if (error instanceof HoldfastJobFailed) return error.record;
    if (!timeout.aborted || signal.aborted) throw error;
    return latest ?? readJob(holdfast, job);
  }
};
