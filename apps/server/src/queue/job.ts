/**
 * The queue: jobs on pg-boss, in the same PostgreSQL as everything else. `queue.ts` enqueues and starts
 * the work, `boss.ts` configures pg-boss. `worker/` finds out that a job is due (notifications, polling)
 * and runs it; `lease/` makes sure that one long job is run by one worker at a time and continues
 * elsewhere when that worker stops or dies. This file defines what a job is.
 */
import type { z } from 'zod';
import type { Lease } from './lease/lease.ts';

type AnyDefinition<Payload extends object> = {
  name: string;
  /** Ids. */
  payload: z.ZodType<Payload>;
  /** How many of them one worker runs at once (`worker/share.ts`). */
  concurrency?: number;
};

/** A job of nobody: it has no payload, and looks for what is due of all. */
type SystemDefinition = AnyDefinition<Record<string, never>> & { groupOf?: undefined };

/** Whose job it is: of the runners of a queue, each group gets a share (`worker/share.ts`). */
type GroupedDefinition<Payload extends object> = AnyDefinition<Payload> & {
  groupOf(payload: NoInfer<Payload>): string | undefined;
};

/** What is needed to enqueue a job, without its handler. */
export type JobDefinition<Payload extends object> = SystemDefinition | GroupedDefinition<Payload>;

/** The group is the account, so that nobody has more of a queue by having more bots. */
export const ofAccount = ({ accountId }: { accountId: string }): string => accountId;

/** For a job that the version before this one queues without the account, and so without a group. */
export const ofAccountIfKnown = ({ accountId }: { accountId?: string | undefined }) => accountId;

/** The group of an entry, as pg-boss takes it. */
export const inGroup = (id: string | null | undefined) => (id ? { group: { id } } : {});

/** It must be safe to run twice. */
type AnyJob<Payload extends object> = JobDefinition<Payload> & {
  /** Also runs on this schedule, with an empty payload. Few jobs should begin in the same minute. */
  cron?: string;
  /** Also runs once whenever a worker starts. */
  runsAtStart?: boolean;
  /**
   * How long it waits for its turn at what is limited, such as a bucket of the platform; for a longer wait
   * it goes back to the queue (`kernel/patience.ts`). A second, and without a bound for a leased job.
   */
  patienceMs?: number;
};

type ShortJob<Payload extends object> = AnyJob<Payload> & {
  subjectOf?: undefined;
  givesWay?: undefined;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
};

/**
 * A long job that no two workers may run at once. It runs under a lease: when its worker dies or hangs,
 * another worker starts the run again, which continues where its own records say that it stopped.
 */
export type LeasedJob<Payload extends object = object> = AnyJob<Payload> & {
  /** What the lease is for, such as `restore:<id>`; equal subjects have equal payloads. */
  subjectOf(payload: Payload): string;
  /**
   * Where the job runs, such as one bot: all jobs of one place run on one worker at a time, so that its
   * knowledge of the place, such as the state of a rate-limit bucket, holds for all of them.
   */
  placeOf?(payload: Payload): string;
  /** It is cheap to interrupt: its runs give way where others wait for a runner (`worker/give-way.ts`). */
  givesWay?: boolean;
  /** When the signal is aborted it stops soon, by throwing; it is then queued again. */
  run(payload: Payload, signal: AbortSignal, lease: Lease): Promise<void>;
};

export type Job<Payload extends object = object> = ShortJob<Payload> | LeasedJob<Payload>;

/** A job as its feature offers it: it can be enqueued by its name, and created by a worker. */
export type JobEntry<Dependencies> = JobDefinition<object> & {
  create: (dependencies: Dependencies) => Job;
};

export const jobEntry = <Payload extends object, Dependencies>(
  job: JobDefinition<Payload>,
  create: (dependencies: Dependencies) => Job<Payload>,
): JobEntry<Dependencies> => ({ ...job, create });
