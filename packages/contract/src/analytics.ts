import { z } from 'zod';
import { blockReasons } from './appeals.ts';
import { count, idParams, timestamp } from './common.ts';
import { endpointsOf } from './endpoint.ts';

const message = 'Must be 24h, or 1d to 365d';

export const period = z
  .string(message)
  .regex(/^(24h|[1-9]\d{0,2}d)$/, message)
  .refine((text) => text === '24h' || Number(text.slice(0, -1)) <= 365, message)
  .default('30d')
  .meta({ description: '`24h`, or `1d` to `365d`.', example: '30d' });

/** The steps of a verification, in order: a person who reached one also reached all before it. */
export const funnelStages = [
  'visited',
  'authorized',
  'captchaPassed',
  'checksPassed',
  'verified',
] as const;
export type FunnelStage = (typeof funnelStages)[number];

const countsOf = <const Names extends readonly string[]>(names: Names) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, count])) as Record<Names[number], typeof count>,
  );

export const analytics = z
  .object({
    period: z.string().meta({ example: '30d' }),
    from: timestamp,
    to: timestamp,
    funnel: countsOf(funnelStages),
    totals: z.object({
      attempts: count,
      verified: count,
      blocked: count,
      conversionRate: z
        .number()
        .min(0)
        .max(1)
        .describe('Share of attempts that were verified; 0 without attempts.'),
    }),
    blockReasons: countsOf(blockReasons),
    series: z
      .array(z.object({ at: timestamp, attempts: count, verified: count, blocked: count }))
      .describe('Per hour for up to one day, else per UTC day; without gaps.'),
    topCountries: z.array(z.object({ country: z.string(), attempts: count })),
    tokenHealth: z.object({ valid: count, expired: count, revoked: count }),
  })
  .meta({ id: 'Analytics' });

export const analyticsEndpoints = endpointsOf('Analytics', {
  getAnalytics: {
    method: 'GET',
    heavy: true,
    mayReadStandby: true,
    path: '/servers/:id/analytics',
    summary: 'Read analytics',
    scope: 'analytics:read',
    owner: 'server',
    params: idParams,
    query: z.object({ period }),
    data: analytics,
  },
});
