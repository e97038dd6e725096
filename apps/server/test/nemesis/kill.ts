import type { ServiceProcess } from '../process.ts';
import type { Lane } from './lane.ts';

export const moments = ['before', 'afterApply', 'afterAnswer'] as const;
export type Moment = (typeof moments)[number];

/** When a worker dies: at a moment of the nth call or blob write, or after a time. */
export type KillPoint =
  | { at: 'call' | 'write'; nth: number; when: Moment }
  | { at: 'time'; afterMs: number };

export const nameOf = (point: KillPoint): string =>
  point.at === 'time'
    ? `killed after ${point.afterMs} ms`
    : `killed ${point.when} of ${point.at} ${point.nth}`;

/** Counts from now on; every call of the lane's simulator is the lane's own. */
export const armCallFault = async (lane: Lane, nth: number, when: Moment): Promise<void> => {
  const { pid } = lane.worker();
  await lane.simulator.control('POST', '/faults', {
    ...{ match: {}, action: 'kill' },
    ...{ nth, when, pid },
  });
};

/** Forgets what happened and what was to happen. */
export const clearPast = async ({ simulator }: Lane): Promise<void> => {
  await simulator.control('DELETE', '/faults');
  await simulator.control('DELETE', '/log');
};

/** A kill after the last answer comes a little later than the work's end. */
const lateKillMs = 60;
/** Calls that were on their way when their worker died take effect meanwhile. */
const settleMs = 1000;

/** Whether the worker dies before `end`; if so, nothing of it is under way any more. */
export const diesBefore = async (
  worker: ServiceProcess,
  end: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> => {
  const waiting = new AbortController();
  const died = worker.exited.then(() => true);
  const ended = end(waiting.signal)
    .then(() => Bun.sleep(lateKillMs))
    .then(() => false);
  const isDead = await Promise.race([died, ended]);
  waiting.abort();
  if (isDead) await Bun.sleep(settleMs);
  return isDead;
};
