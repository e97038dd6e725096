import type { z } from 'zod';

/** A kind of queued work. Its payload is ids; it must be safe to run twice. */
export type Job<Payload extends object = object> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Runs on this schedule as well, with an empty payload. */
  cron?: string;
  /** Runs once as well whenever a worker starts. */
  runsAtStart?: boolean;
  /** How many of this kind one worker runs at once. */
  concurrency?: number;
  run(payload: Payload, signal: AbortSignal): Promise<void>;
};

/** What a room needs to hand over work: it does not see who does it. */
export type JobName<Payload extends object> = Pick<Job<Payload>, 'name' | 'payload'>;
