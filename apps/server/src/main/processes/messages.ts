import { z } from 'zod';

/** What the supervisor tells a process before all else. */
const begin = z.object({
  type: z.literal('begin'),
  /** 0 is the first one, which also does what only one process may do. */
  place: z.int(),
  /** By name. Read once, by the supervisor: a process started later must not find others. */
  settings: z.record(z.string(), z.string()),
  port: z.int(),
  dbPool: z.int(),
  dataDir: z.string(),
  /** Of the embedded PostgreSQL, which the supervisor started. */
  databaseUrl: z.string().optional(),
  /** What ids are hashed with in the counts that all share. */
  countsSeed: z.string(),
  haveAllStarted: z.boolean(),
});
export type Begin = z.infer<typeof begin>;

export const toProcess = z.discriminatedUnion('type', [
  begin,
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('allStarted') }),
  /** Asks for its metrics. */
  z.object({ type: z.literal('collect'), id: z.int() }),
  /** Answers its question for the metrics of all. */
  z.object({ type: z.literal('metrics'), id: z.int(), text: z.string() }),
]);
export type ToProcess = z.infer<typeof toProcess>;

/** As prom-client gives them. */
export const metricsShape = z.array(z.looseObject({ name: z.string(), type: z.string() }));
export type MetricAsJson = z.infer<typeof metricsShape>[number];

export const toSupervisor = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening'), url: z.string(), greeting: z.string() }),
  /** It cannot start, and ends. */
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('pong') }),
  z.object({ type: z.literal('collected'), id: z.int(), metrics: metricsShape }),
  z.object({ type: z.literal('askMetrics'), id: z.int() }),
]);
export type ToSupervisor = z.infer<typeof toSupervisor>;
