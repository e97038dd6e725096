import type { PullResult } from '@holdfast/contract';
import { clearPast, diesBefore, type KillPoint, nameOf } from './kill.ts';
import type { Lane } from './lane.ts';
import type { Outcome } from './outcome.ts';
import { judgePull } from './pull-checks.ts';
import { gatherPeople, type Person } from './pull-people.ts';
import type { PullPlace } from './pull-place.ts';

export type PullRecord = {
  id: string;
  status: string;
  progress: number;
  total: number;
  processed: number;
  results: Record<PullResult, number>;
  error: string | null;
  createdAt: string;
  completedAt: string | null;
};

/** What is known of a pull that ran. */
export type PullRun = {
  people: Person[];
  /** As it was read, again and again, up to its end. */
  readings: PullRecord[];
  /** When its worker died, and the number of the last call logged by then. */
  death?: { atMs: number; logSeq: number };
};

/** One pull whose worker is killed at the given point, then started again. */
export const runPull = async (place: PullPlace, point: KillPoint): Promise<Outcome> => {
  const run = await carryOut(place, point);
  const violations = await judgePull(place, run);
  const isResumed = run.death !== undefined && run.readings.at(-1)?.status === 'completed';
  return { name: nameOf(point), kills: run.death ? 1 : 0, isResumed, violations };
};

export const carryOut = async (place: PullPlace, point: KillPoint): Promise<PullRun> => {
  const { lane, proxy } = place;
  const victim = lane.worker();
  const people = await gatherPeople(place);
  await clearPast(lane);
  proxy.arm(point.at === 'time' ? undefined : { ...point, victim });
  const first = await beginPull(place);
  const doom =
    point.at === 'time' ? setTimeout(() => victim.kill('SIGKILL'), point.afterMs) : undefined;
  const died = victim.exited.then(() => Date.now());
  const reading = followPull(lane, first);
  const isKilled = await diesBefore(victim, () => reading);
  clearTimeout(doom);
  const death = isKilled ? { atMs: await died, logSeq: await lastLogged(lane) } : undefined;
  if (death) await lane.startWorker();
  return { people, readings: await reading, ...(death && { death }) };
};

export const beginPull = async ({ crowd, roleId }: PullPlace): Promise<PullRecord> => {
  const { owner, serverId } = crowd;
  const path = `/api/v1/servers/${serverId}/pull`;
  const reply = await owner.call('POST', path, { body: { roleId } });
  if (reply.status !== 202) throw new Error(`No pull: ${reply.text}`);
  return reply.body.data;
};

export const lastLogged = async (lane: Lane): Promise<number> =>
  (await lane.readLog()).at(-1)?.seq ?? 0;

/** Of a refresh whose worker died nobody knows for half a minute; then it is tried once more. */
const endWithinMs = 180_000;
const readEveryMs = 40;

/** Reads it until it is at an end, whoever dies meanwhile. */
export const followPull = async ({ tenant }: Lane, first: PullRecord): Promise<PullRecord[]> => {
  const readings = [first];
  const deadline = Date.now() + endWithinMs;
  while (Date.now() < deadline) {
    const { body } = await tenant.call('GET', `/api/v1/pulls/${first.id}`);
    readings.push(body.data);
    if (body.data.completedAt !== null) break;
    await Bun.sleep(readEveryMs);
  }
  return readings;
};
