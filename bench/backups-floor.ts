import type { Limits, LoggedCall } from './simulator.ts';

/** The platform lets so much above its global limit pass at once. */
const globalTolerance = 0.1;

/** As the simulator tells buckets apart: by bot, route, and the guild or channel at its head. */
const bucketOf = ({ botId, method, route, path }: LoggedCall): string => {
  const [, kind = '', id = ''] = path.split('?')[0]?.split('/') ?? [];
  const hasMajorId = ['guilds', 'channels', 'webhooks'].includes(kind);
  return `${botId} ${method} ${route} ${hasMajorId ? id : ''}`;
};

/**
 * The least time in which the platform lets these calls through: each phase begins when the one
 * before has ended, a call takes no time, and nobody waits for anything but a bucket. A window that
 * is open when a phase begins is still open.
 */
export const floorMs = (
  phases: readonly (readonly LoggedCall[])[],
  { default: usual, routes, global }: Limits,
): number => {
  const windows = new Map<string, { endsAt: number; used: number }>();
  const takeAt = (call: LoggedCall, fromMs: number): number => {
    const { limit, perMs } = routes[`${call.method} ${call.route}`] ?? usual;
    const bucket = bucketOf(call);
    const known = windows.get(bucket);
    const atMs = known && known.used >= limit ? Math.max(fromMs, known.endsAt) : fromMs;
    const window = known && known.endsAt > atMs ? known : { endsAt: atMs + perMs, used: 0 };
    window.used += 1;
    windows.set(bucket, window);
    return atMs;
  };
  return phases.reduce((beganMs, calls) => {
    const lastMs = Math.max(beganMs, ...calls.map((call) => takeAt(call, beganMs)));
    return Math.max(lastMs, beganMs + globalWaitMs(calls, global));
  }, 0);
};

/** Each bot has its own global limit; the busiest one decides. */
const globalWaitMs = (calls: readonly LoggedCall[], { limit, perMs }: Limits['global']): number => {
  const perBot = Map.groupBy(calls, ({ botId }) => botId);
  const most = Math.max(0, ...[...perBot.values()].map(({ length }) => length));
  const atOnce = limit + Math.floor(limit * globalTolerance);
  return (Math.max(0, most - atOnce) / limit) * perMs;
};
