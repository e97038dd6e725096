import { judgeBackup } from './backup-checks.ts';
import type { BackupPlace } from './backup-place.ts';
import { varyGuild } from './guild.ts';
import { armCallFault, clearPast, diesBefore, type KillPoint, nameOf } from './kill.ts';
import { backupsOf, waitForEnd } from './lane-calls.ts';
import type { Outcome } from './outcome.ts';

let marks = 0;
/** Short, and no other run's. */
const nextMark = (): string => `m${++marks}`;

/**
 * One backup whose worker is killed at the given point, then started again. Nothing it stores is
 * there already. Every other time the guild has changed when the work goes on, so that what was
 * stored before the kill belongs to nobody.
 */
export const runBackup = async (place: BackupPlace, point: KillPoint): Promise<Outcome> => {
  const { lane } = place;
  const worker = lane.worker();
  const mark = nextMark();
  const changesMeanwhile = marks % 2 === 0;
  await lane.putGuild(varyGuild(lane.whole, mark));
  await clearPast(lane);
  await arm(place, point);
  const reply = await lane.tenant.call('POST', backupsOf(lane), { body: {} });
  if (reply.status !== 202) throw new Error(`No backup: ${reply.text}`);
  const backupId: string = reply.body.data.id;
  const path = `${backupsOf(lane)}/${backupId}`;
  const doom =
    point.at === 'time' ? setTimeout(() => worker.kill('SIGKILL'), point.afterMs) : undefined;
  const isKilled = await diesBefore(worker, (signal) => waitForEnd(lane, path, signal));
  clearTimeout(doom);
  if (isKilled) {
    if (changesMeanwhile) await lane.putGuild(varyGuild(lane.whole, nextMark()));
    await lane.startWorker();
  }
  const { status } = await waitForEnd(lane, path);
  const violations = await judgeBackup(place, backupId, await lane.readGuild());
  // A store of the tests' own cannot list more than a thousand objects.
  const deleted = await lane.tenant.call('DELETE', path);
  if (deleted.status !== 200) violations.push(`it cannot be deleted: ${deleted.text}`);
  const isResumed = isKilled && status === 'completed';
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations };
};

const arm = async ({ lane, proxy }: BackupPlace, point: KillPoint): Promise<void> => {
  const isWrite = point.at === 'write';
  proxy.arm(isWrite ? { ...point, victim: lane.worker() } : undefined);
  if (point.at === 'call') await armCallFault(lane, point.nth, point.when);
};
