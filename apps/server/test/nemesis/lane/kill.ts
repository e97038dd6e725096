import type { ServiceProcess } from '../../harness/service-process.ts';
import { createRandom, pickSpread, type SweepOptions } from '../sweep.ts';
import type { Lane } from './lane.ts';

const moments = ['before', 'afterApply', 'afterAnswer'] as const;
export type Moment = (typeof moments)[number];

/** When a worker dies: at a moment of the nth call or blob write, or after a time. */
export type KillPoint =
  | { at: 'call' | 'write'; nth: number; when: Moment }
  | { at: 'time'; afterMs: number };

export const nameOf = (point: KillPoint): string =>
  point.at === 'time'
    ? `killed after ${point.afterMs} ms`
    : `killed ${point.when} of ${point.at} ${point.nth}`;

/** A point that no run reaches: what the work does without a kill. */
export const neverKilled: KillPoint = { at: 'call', nth: 1_000_000, when: 'before' };

type Counted = { calls: number; writes?: number; tookMs: number };

/** Every call and blob write at every moment, or a sample of these, and kills at random times. */
export const chooseKillPoints = (
  { calls, writes = 0, tookMs }: Counted,
  { seed, sample, randomKills }: Pick<SweepOptions, 'seed' | 'sample' | 'randomKills'>,
): KillPoint[] => {
  const random = createRandom(seed);
  const all = [...pointsOf('call', calls), ...pointsOf('write', writes)];
  const timed = Array.from({ length: randomKills }, (): KillPoint => {
    return { at: 'time', afterMs: Math.floor(random() * tookMs) };
  });
  return [...pickSpread(all, sample ?? all.length, random), ...timed];
};

const pointsOf = (at: 'call' | 'write', count: number): KillPoint[] =>
  Array.from({ length: count }, (_, index) =>
    moments.map((when): KillPoint => ({ at, nth: index + 1, when })),
  ).flat();

/** Kills the worker at a point in time; the returned function cancels it. */
export const killAtTime = (worker: ServiceProcess, point: KillPoint): (() => void) => {
  if (point.at !== 'time') return () => undefined;
  const timer = setTimeout(() => worker.kill('SIGKILL'), point.afterMs);
  return () => clearTimeout(timer);
};

/** Counts from now on; every call of the lane's simulator is the lane's own. */
export const armCallFault = async (lane: Lane, nth: number, when: Moment): Promise<void> => {
  const { pid } = lane.worker();
  await lane.simulator.control('POST', '/faults', {
    ...{ match: {}, action: 'kill' },
    ...{ nth, when, pid },
  });
};

/** Deletes the armed faults and the log of calls. */
export const clearFaultsAndLog = async ({ simulator }: Lane): Promise<void> => {
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
