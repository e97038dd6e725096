import { varyGuild } from '../guild/guild.ts';
import { backupsOf, waitForEnd } from '../lane/calls.ts';
import {
  armCallFault,
  clearFaultsAndLog,
  diesBefore,
  type KillPoint,
  killAtTime,
  nameOf,
} from '../lane/kill.ts';
import type { Outcome } from '../outcome.ts';
import { checkBackup } from './checks.ts';
import type { BackupSetup } from './setup.ts';

let marks = 0;
/** Short, and no other run's. */
const nextMark = (): string => `m${++marks}`;

/**
 * One backup whose worker is killed at the given point, then started again. Nothing it stores is
 * there already. Every other time the guild has changed when the work goes on, so that
 * objects stored before the kill become orphans.
 */
export const runBackup = async (setup: BackupSetup, point: KillPoint): Promise<Outcome> => {
  const { lane } = setup;
  const worker = lane.worker();
  const mark = nextMark();
  const changesMeanwhile = marks % 2 === 0;
  await lane.putGuild(varyGuild(lane.whole, mark));
  await clearFaultsAndLog(lane);
  await arm(setup, point);
  const reply = await lane.tenant.call('POST', backupsOf(lane), { body: {} });
  if (reply.status !== 202) throw new Error(`No backup: ${reply.text}`);
  const backupId: string = reply.body.data.id;
  const path = `${backupsOf(lane)}/${backupId}`;
  const cancelKill = killAtTime(worker, point);
  const isKilled = await diesBefore(worker, (signal) => waitForEnd(lane, path, signal));
  cancelKill();
  if (isKilled) {
    if (changesMeanwhile) await lane.putGuild(varyGuild(lane.whole, nextMark()));
    await lane.startWorker();
  }
  const { status } = await waitForEnd(lane, path);
  const violations = await checkBackup(setup, backupId, await lane.readGuild());
  // A store of the tests' own cannot list more than a thousand objects.
  const deleted = await lane.tenant.call('DELETE', path);
  if (deleted.status !== 200) violations.push(`it cannot be deleted: ${deleted.text}`);
  const isResumed = isKilled && status === 'completed';
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations };
};

const arm = async ({ lane, proxy }: BackupSetup, point: KillPoint): Promise<void> => {
  const isWrite = point.at === 'write';
  proxy.arm(isWrite ? { ...point, victim: lane.worker() } : undefined);
  if (point.at === 'call') await armCallFault(lane, point.nth, point.when);
};
