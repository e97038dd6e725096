import type { z } from 'zod';
import type { Lease } from './lease.ts';

/** A kind of queued work. Its payload is ids; it must be safe to run twice. */
type AnyJob<Payload extends object> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Runs on this schedule as well, with an empty payload. */
  cron?: string;
  /** Runs once as well whenever a worker starts. */
  runsAtStart?: boolean;
  /** How many of this kind one worker runs at once. */
  concurrency?: number;
  /** How many of them, of all workers, may be of one group (see `enqueue`). */
  groupConcurrency?: number;
};

type ShortJob<Payload extends object> = AnyJob<Payload> & {
  subjectOf?: undefined;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
};

/**
 * A job that takes long, and that no two workers may be at. It is done under a lease: when its worker
 * dies or hangs, another takes it up, and the run begins anew where its own records say it stopped.
 */
export type LeasedJob<Payload extends object = object> = AnyJob<Payload> & {
  /** What no two may be at, such as `restore:<id>`; of equal subjects the payloads are equal. */
  subjectOf(payload: Payload): string;
  /**
   * Where the work is done, such as one bot: all jobs of one place are in the hands of one worker at a
   * time, so that what it learned there, such as how full a bucket is, holds for all of them.
   */
  placeOf?(payload: Payload): string;
  /** When the signal is aborted it stops soon, by throwing; it is then taken up again. */
  run(payload: Payload, signal: AbortSignal, lease: Lease): Promise<void>;
};

export type Job<Payload extends object = object> = ShortJob<Payload> | LeasedJob<Payload>;

/** What a room needs to hand over work: it does not see who does it. */
export type JobName<Payload extends object> = Pick<AnyJob<Payload>, 'name' | 'payload'>;
