import { damageGuild } from '../guild/guild.ts';
import {
  postRestore,
  type RestoreRun,
  readAtDeath,
  restorePath,
  waitForEnd,
} from '../lane/calls.ts';
import {
  armCallFault,
  clearFaultsAndLog,
  diesBefore,
  type KillPoint,
  killAtTime,
  nameOf,
} from '../lane/kill.ts';
import type { Lane } from '../lane/lane.ts';
import type { Outcome } from '../outcome.ts';
import { checkRestore } from './checks.ts';
import { replacing, type Way } from './way.ts';

/** The same damage for every run. */
export const damageAgain = async (lane: Lane, way: Way = replacing): Promise<void> => {
  const wreck = damageGuild(lane.whole);
  await lane.putGuild(wreck);
  await clearFaultsAndLog(lane);
  lane.watch.begin(lane.whole, wreck, way);
};

/** `arm` sets the fault; calls are counted from here on. */
export const beginRestore = async (
  lane: Lane,
  backupId: string,
  arm: () => Promise<void>,
  way: Way = replacing,
): Promise<RestoreRun> => {
  await damageAgain(lane, way);
  await arm();
  const reply = await postRestore(lane, backupId, way.body);
  if (reply.status !== 202) throw new Error(`No restore: ${reply.text}`);
  return { restoreId: reply.body.data.id };
};

/** One restore whose worker is killed at the given point, then started again. */
export const runRestore = async (
  lane: Lane,
  backupId: string,
  point: KillPoint,
  way: Way = replacing,
): Promise<Outcome> => {
  const worker = lane.worker();
  const arm = async () => {
    if (point.at === 'call') await armCallFault(lane, point.nth, point.when);
  };
  const run = await beginRestore(lane, backupId, arm, way);
  const cancelKill = killAtTime(worker, point);
  const isKilled = await diesBefore(worker, (signal) =>
    waitForEnd(lane, restorePath(run.restoreId), signal),
  );
  cancelKill();
  if (isKilled) {
    run.death = await readAtDeath(lane, run.restoreId);
    await lane.startWorker();
  }
  const { status } = await waitForEnd(lane, restorePath(run.restoreId));
  const violations = await checkRestore(lane, run, way);
  const isResumed = isKilled && status === 'completed';
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations };
};
