import { z } from 'zod';

/** What the client process is asked to send, and what it reports. */
export const loadOrder = z.object({
  origin: z.string(),
  /** Whole texts of requests; each connection sends one of them again and again. */
  requests: z.array(z.string()).min(1),
  connections: z.int(),
  durationMs: z.number(),
  /** Requests per second over all connections; without it each sends as fast as it is answered. */
  rate: z.number().optional(),
});
export type LoadOrder = z.output<typeof loadOrder>;

export const loadReport = z.union([
  z.object({ latenciesMs: z.array(z.number()), elapsedMs: z.number() }),
  z.object({ failure: z.string() }),
]);
export type LoadReport = z.output<typeof loadReport>;
