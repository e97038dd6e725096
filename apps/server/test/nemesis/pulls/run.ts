import { clearFaultsAndLog, diesBefore, type KillPoint, killAtTime, nameOf } from '../lane/kill.ts';
import type { Lane } from '../lane/lane.ts';
import type { Outcome } from '../outcome.ts';
import { checkPull, type PullRecord, type PullRun } from './checks.ts';
import { preparePeople } from './people.ts';
import type { PullSetup } from './setup.ts';

/** One pull whose worker is killed at the given point, then started again. */
export const runPull = async (setup: PullSetup, point: KillPoint): Promise<Outcome> => {
  const run = await executePull(setup, point);
  const violations = await checkPull(setup, run);
  const isResumed = run.death !== undefined && run.readings.at(-1)?.status === 'completed';
  const isLaneSpent = setup.pullsLeft <= 0;
  return { name: nameOf(point), kills: run.death ? 1 : 0, isResumed, violations, isLaneSpent };
};

export const executePull = async (setup: PullSetup, point: KillPoint): Promise<PullRun> => {
  const { lane, proxy } = setup;
  const victim = lane.worker();
  setup.pullsLeft -= 1;
  const people = await preparePeople(setup);
  await clearFaultsAndLog(lane);
  proxy.arm(point.at === 'time' ? undefined : { ...point, victim });
  const first = await beginPull(setup);
  const cancelKill = killAtTime(victim, point);
  const died = victim.exited.then(() => Date.now());
  const reading = followPull(lane, first);
  const isKilled = await diesBefore(victim, () => reading);
  cancelKill();
  const death = isKilled ? { atMs: await died, logSeq: await lastLogged(lane) } : undefined;
  if (death) await lane.startWorker();
  return { people, readings: await reading, ...(death && { death }) };
};

export const beginPull = async ({ server, roleId }: PullSetup): Promise<PullRecord> => {
  const { owner, serverId } = server;
  const path = `/api/v1/servers/${serverId}/pull`;
  const reply = await owner.call('POST', path, { body: { roleId } });
  if (reply.status !== 202) throw new Error(`No pull: ${reply.text}`);
  return reply.body.data;
};

export const lastLogged = async (lane: Lane): Promise<number> =>
  (await lane.readLog()).at(-1)?.seq ?? 0;

/** A refresh whose worker died is tried again after half a minute. */
const endWithinMs = 180_000;
const readEveryMs = 40;

/** Reads the pull until its end. */
export const followPull = async ({ tenant }: Lane, first: PullRecord): Promise<PullRecord[]> => {
  const readings = [first];
  const deadline = Date.now() + endWithinMs;
  while (Date.now() < deadline) {
    const { status, body, text } = await tenant.call('GET', `/api/v1/pulls/${first.id}`);
    // A busy machine may keep the API waiting for its database; what the pull does is the subject.
    if (status !== 200 && status !== 503) throw new Error(`No reading: ${status} ${text}`);
    if (status === 200) readings.push(body.data);
    if (body.data?.completedAt) break;
    await Bun.sleep(readEveryMs);
  }
  return readings;
};
