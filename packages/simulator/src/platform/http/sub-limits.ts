import { z } from 'zod';
import { createWindows, type Window } from './windows.ts';

const limitSchema = z.object({ limit: z.int().min(0), perMs: z.number().positive() });

/** What a guild may do in hours or days, over all bots. Without a limit of their own they have none. */
const quotasSchema = z.object({
  roles: limitSchema.optional(),
  channels: limitSchema.optional(),
  emojis: limitSchema.optional(),
  stickers: limitSchema.optional(),
  banFetches: limitSchema.optional(),
});

type Quota = keyof z.output<typeof quotasSchema>;

const ROUTE_OF_QUOTA: Record<Quota, string> = {
  roles: 'POST /guilds/:id/roles',
  channels: 'POST /guilds/:id/channels',
  emojis: 'POST /guilds/:id/emojis',
  stickers: 'POST /guilds/:id/stickers',
  banFetches: 'GET /guilds/:id/bans',
};

/** Of one route, beside its bucket: with `fields` only requests that carry one of them count. */
const subLimitSchema = limitSchema.extend({ fields: z.array(z.string()).optional() });

export const subLimitsSchema = z.object({
  quotas: quotasSchema.optional(),
  subLimits: z.record(z.string(), subLimitSchema).optional(),
});

type SubLimits = z.output<typeof subLimitsSchema>;

export type LimitedRequest = {
  /** Who asks: a bot, a user behind a bearer token, or a webhook. */
  subject: string;
  /** "METHOD /path/:id". */
  route: string;
  /** The guild or channel that the limit is for. */
  resourceId: string;
  body: unknown;
};

type SubLimitResult =
  | { isAllowed: true; giveBack: () => void }
  | { isAllowed: false; waitMs: number; scope: 'user' | 'shared'; isBanFetch: boolean };

type Rule = {
  route: string;
  limit: number;
  perMs: number;
  fields?: string[];
  scope: 'user' | 'shared';
};

/**
 * Limits that the headers of a bucket do not show: the bucket has requests left, and still the
 * answer is 429. Clients learn of them only by being refused.
 */
export const createSubLimits = (now: () => number) => {
  let settings: SubLimits = {};
  let rules: Rule[] = [];
  const windows = createWindows(now);

  const windowOf = (rule: Rule, { subject, route, resourceId }: LimitedRequest): Window => {
    const owner = rule.scope === 'shared' ? '' : subject;
    return windows.open(`${owner} ${route} ${resourceId} ${rule.fields ?? ''}`, rule.perMs);
  };

  return {
    set: (changed: SubLimits) => {
      settings = { quotas: changed.quotas, subLimits: changed.subLimits };
      rules = rulesOf(changed);
      windows.clear();
    },
    get: () => ({ quotas: settings.quotas ?? {}, subLimits: settings.subLimits ?? {} }),
    consume: (request: LimitedRequest): SubLimitResult => {
      const taken: Window[] = [];
      for (const rule of rules) {
        if (rule.route !== request.route || !carriesField(rule, request.body)) continue;
        const window = windowOf(rule, request);
        if (window.used >= rule.limit) return refuse(rule, window.endsAt - now());
        taken.push(window);
      }
      for (const window of taken) window.used += 1;
      const giveBack = () => {
        for (const window of taken) window.used -= 1;
      };
      return { isAllowed: true, giveBack };
    },
  };
};

const rulesOf = ({ quotas, subLimits }: SubLimits): Rule[] => [
  ...Object.entries(quotas ?? {}).flatMap(([quota, limit]) => {
    // The schema knows no other keys.
    const route = ROUTE_OF_QUOTA[quota as Quota];
    return limit ? [{ route, ...limit, scope: 'shared' as const }] : [];
  }),
  ...Object.entries(subLimits ?? {}).map(([route, limit]) => ({
    route,
    ...limit,
    // Those who write to one channel through several webhooks share its limit.
    scope: route.includes('/webhooks/') ? ('shared' as const) : ('user' as const),
  })),
];

const carriesField = ({ fields }: Rule, body: unknown): boolean =>
  !fields || (typeof body === 'object' && body !== null && fields.some((field) => field in body));

const refuse = ({ route, scope }: Rule, waitMs: number): SubLimitResult => ({
  isAllowed: false,
  waitMs,
  scope,
  isBanFetch: route === ROUTE_OF_QUOTA.banFetches,
});
