import { wreckGuild } from './guild.ts';
import { armCallFault, clearPast, diesBefore, type KillPoint, nameOf } from './kill.ts';
import type { Lane } from './lane.ts';
import {
  lookAtDeath,
  postRestore,
  type RestoreRun,
  restorePath,
  waitForEnd,
} from './lane-calls.ts';
import type { Outcome } from './outcome.ts';
import { judgeRestore } from './restore-checks.ts';

/** Always the same, whatever an earlier run made of the guild. */
export const wreckAgain = async (lane: Lane): Promise<void> => {
  const wreck = wreckGuild(lane.whole);
  await lane.putGuild(wreck);
  await clearPast(lane);
  lane.watch.begin(lane.whole, wreck);
};

/** `arm` sets what shall befall the worker: calls are counted from here on. */
export const beginRestore = async (
  lane: Lane,
  backupId: string,
  arm: () => Promise<void>,
): Promise<RestoreRun> => {
  await wreckAgain(lane);
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
  const doom =
    point.at === 'time' ? setTimeout(() => worker.kill('SIGKILL'), point.afterMs) : undefined;
  const isKilled = await diesBefore(worker, (signal) =>
    waitForEnd(lane, restorePath(run.restoreId), signal),
  );
  clearTimeout(doom);
  if (isKilled) {
    run.death = await lookAtDeath(lane, run.restoreId);
    await lane.startWorker();
  }
  const { status } = await waitForEnd(lane, restorePath(run.restoreId));
  const violations = await judgeRestore(lane, run);
  const isResumed = isKilled && status === 'completed';
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations };
};
