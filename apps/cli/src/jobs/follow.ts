import { type Holdfast, HoldfastJobFailed } from '@holdfast/sdk';
import type { JobKind } from '@holdfast/sdk/catalog';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { clean } from '../output/style.ts';
import { createMeter, type JobState, progressLine, progressOf } from './progress.ts';

/** A job under way; a backup is read by its server too. */
export type Job = { id: string; serverId: string };

export type JobRecord = Job & JobState & { warnings: string[]; error: string | null };

/** The command that shows the job again. */
export const watchLine = (
  { lineFor }: Pick<Context, 'lineFor'>,
  kind: JobKind,
  { id, serverId }: Job,
): string => lineFor(kind === 'backup' ? `watch backup ${serverId} ${id}` : `watch ${kind} ${id}`);

const endings = ['SIGINT', 'SIGTERM'] as const;

/**
 * Waits for the end of a job. People see a bar, programs a line of JSON for each step. An interrupt
 * ends only the watching.
 */
export const followJob = async (
  context: Context,
  holdfast: Holdfast,
  kind: JobKind,
  job: Job,
  label: string,
): Promise<JobRecord> => {
  const { output } = context;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const name of endings) process.once(name, interrupt);
  const meter = createMeter(kind);
  const onProgress = (record: JobRecord) => {
    const progress = progressOf(record);
    const measured = meter(progress, performance.now());
    output.emit({ event: 'progress', kind, id: record.id, ...progress, ...measured });
    const line = { ...progress, ...measured, label: clean(label), columns: output.columns };
    output.status(progressLine(line));
  };
  try {
    return await waitFor(holdfast, kind, job, { onProgress, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) throw interrupted(context, kind, job);
    if (error instanceof HoldfastJobFailed) throw jobFailed(kind, error);
    throw error;
  } finally {
    output.endStatus();
    for (const name of endings) process.removeListener(name, interrupt);
  }
};

type Watch = { onProgress: (record: JobRecord) => void; signal: AbortSignal };

const waitFor = (holdfast: Holdfast, kind: JobKind, job: Job, watch: Watch): Promise<JobRecord> => {
  if (kind === 'backup') return holdfast.waitForBackup(job, watch);
  return kind === 'restore'
    ? holdfast.waitForRestore(job, watch)
    : holdfast.waitForPull(job, watch);
};

const interrupted = (context: Context, kind: JobKind, job: Job): CommandError =>
  new CommandError('interrupted', `The ${kind} keeps running without you`, [
    `Come back: ${watchLine(context, kind, job)}`,
    ...(kind === 'backup' ? [] : [`Stop it: ${context.lineFor(`${kind}s cancel ${job.id}`)}`]),
  ]);

const jobFailed = (kind: JobKind, { message, record }: HoldfastJobFailed): CommandError =>
  new CommandError('jobFailed', `The ${kind} ended as ${record.status}: ${message}`, [
    ...record.warnings,
  ]);
