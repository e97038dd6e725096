import type { Limits, LoggedCall } from '../lib/simulator.ts';

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
 * before has ended, a call takes no time, and nobody waits for anything but a bucket or the limit over
 * all. Whichever call may go first goes first. A window that is open when a phase begins is still open.
 */
export const floorMs = (phases: readonly (readonly LoggedCall[])[], limits: Limits): number => {
  const windows = new Map<string, Window>();
  const takeOfAll = new Map<string, (fromMs: number) => number>();
  let nowMs = 0;
  for (const calls of phases) {
    const queues = [...Map.groupBy(calls, bucketOf).values()].map((queue) => [...queue]);
    const beganMs = nowMs;
    for (let left = calls.length; left > 0; left--) {
      const next = firstToGo(queues, windows, limits, beganMs);
      if (!next) break;
      const { queue, atMs } = next;
      const [call] = queue.splice(0, 1);
      if (!call) break;
      const take = takeOfAll.get(call.botId ?? '') ?? createGlobal(limits.global);
      takeOfAll.set(call.botId ?? '', take);
      const wentMs = take(atMs);
      useWindow(windows, call, limits, wentMs);
      nowMs = Math.max(nowMs, wentMs);
    }
  }
  return nowMs;
};

type Window = { endsAt: number; used: number };

const limitOf = ({ routes, default: usual }: Limits, { method, route }: LoggedCall) =>
  routes[`${method} ${route}`] ?? usual;

const firstToGo = (
  queues: LoggedCall[][],
  windows: Map<string, Window>,
  limits: Limits,
  fromMs: number,
) => {
  let first: { queue: LoggedCall[]; atMs: number } | undefined;
  for (const queue of queues) {
    const [call] = queue;
    if (!call) continue;
    const known = windows.get(bucketOf(call));
    const isFull = known !== undefined && known.used >= limitOf(limits, call).limit;
    const atMs = isFull ? Math.max(fromMs, known.endsAt) : fromMs;
    if (!first || atMs < first.atMs) first = { queue, atMs };
  }
  return first;
};

const useWindow = (
  windows: Map<string, Window>,
  call: LoggedCall,
  limits: Limits,
  atMs: number,
): void => {
  const bucket = bucketOf(call);
  const known = windows.get(bucket);
  const isOpen = known !== undefined && known.endsAt > atMs;
  const window = isOpen ? known : { endsAt: atMs + limitOf(limits, call).perMs, used: 0 };
  window.used += 1;
  windows.set(bucket, window);
};

/** Tokens that come back steadily, as the simulator counts what one bot does in all. */
const createGlobal = ({ limit, perMs }: Limits['global']) => {
  const most = limit + Math.floor(limit * globalTolerance);
  let tokens = most;
  let lastMs = 0;
  return (fromMs: number): number => {
    const atMs = Math.max(fromMs, lastMs);
    tokens = Math.min(most, tokens + ((atMs - lastMs) / perMs) * limit);
    const waitMs = tokens >= 1 ? 0 : ((1 - tokens) / limit) * perMs;
    tokens = Math.max(0, tokens + (waitMs / perMs) * limit - 1);
    lastMs = atMs + waitMs;
    return lastMs;
  };
};
