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

/** The same damage for every run. */
export const damageAgain = async (lane: Lane): Promise<void> => {
  const wreck = damageGuild(lane.whole);
  await lane.putGuild(wreck);
  await clearFaultsAndLog(lane);
  lane.watch.begin(lane.whole, wreck);
};

/** `arm` sets the fault; calls are counted from here on. */
export const beginRestore = async (
  lane: Lane,
  backupId: string,
  arm: () => Promise<void>,
): Promise<RestoreRun> => {
  await damageAgain(lane);
  await arm();
  const reply = await postRestore(lane, backupId);
  if (reply.status !== 202) throw new Error(`No restore: ${reply.text}`);
  return { restoreId: reply.body.data.id };
};

/** One restore whose worker is killed at the given point, then started again. */
export const runRestore = async (
  lane: Lane,
  backupId: string,
  point: KillPoint,
): Promise<Outcome> => {
  const worker = lane.worker();
  const run = await beginRestore(lane, backupId, async () => {
    if (point.at === 'call') await armCallFault(lane, point.nth, point.when);
  });
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
  const violations = await checkRestore(lane, run);
  const isResumed = isKilled && status === 'completed';
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations };
};
