import { eventually } from '../../harness/eventually.ts';
import {
  postRestore,
  type RestoreRun,
  readAtDeath,
  restorePath,
  waitForEnd,
} from '../lane/calls.ts';
import { armCallFault, clearFaultsAndLog, diesBefore } from '../lane/kill.ts';
import type { Lane } from '../lane/lane.ts';
import { countRestores } from '../lane/queries.ts';
import type { Outcome } from '../outcome.ts';
import { checkRestore } from './checks.ts';
import { beginRestore, damageAgain } from './run.ts';
import { replacing } from './way.ts';

/** Of two restores asked for at the same moment one runs, and the other is refused. */
export const runParallelRestores = async (lane: Lane, backupId: string): Promise<Outcome> => {
  await damageAgain(lane);
  const replies = await Promise.all([postRestore(lane, backupId), postRestore(lane, backupId)]);
  const statuses = replies.map(({ status }) => status).sort();
  const violations = `${statuses}` === '202,409' ? [] : [`they were answered ${statuses}`];
  for (const { body } of replies.filter(({ status }) => status === 202)) {
    const run = { restoreId: body.data.id };
    await waitForEnd(lane, restorePath(run.restoreId));
    violations.push(...(await checkRestore(lane, run, replacing)));
  }
  return { name: 'two at once', kills: 0, isResumed: false, violations };
};

const pausedMs = 35_000;

/** A worker that is stopped for longer than its lease finds the work done by another when it wakes. */
export const runPausedWorker = async (lane: Lane, backupId: string): Promise<Outcome> => {
  const worker = lane.worker();
  const run = await beginRestore(lane, backupId, () => slowDown(lane));
  await untilChanges(lane, 30);
  worker.kill('SIGSTOP');
  await Bun.sleep(3 * slowMs);
  run.death = await readAtDeath(lane, run.restoreId);
  const other = await lane.startOther();
  await Bun.sleep(pausedMs);
  worker.kill('SIGCONT');
  const { status } = await waitForEnd(lane, restorePath(run.restoreId));
  await Bun.sleep(1000);
  other.kill('SIGTERM');
  await other.exited;
  const violations = await checkRestore(lane, run, replacing);
  return { name: 'a stopped worker', kills: 0, isResumed: status === 'completed', violations };
};

/** A server that is deleted while it is restored gets nothing more, and the restore goes with it. */
export const runDeletedServer = async (lane: Lane, backupId: string): Promise<Outcome> => {
  await beginRestore(lane, backupId, () => slowDown(lane));
  await untilChanges(lane, 20);
  const violations = await deleteServer(lane);
  // Calls that were on their way when it was deleted may still arrive.
  const isLateMs = Date.now() + 5 * slowMs;
  violations.push(...(await untilGone(lane)));
  const changes = (await changesOf(lane)).filter(({ at }) => Date.parse(at) > isLateMs);
  violations.push(...changes.map(({ method, path }) => `${method} ${path} came after the delete`));
  return { name: 'a deleted server', kills: 0, isResumed: false, violations, isLaneSpent: true };
};

/** The same while its worker is dead: the one that takes over does nothing at all. */
export const runDeletedMeanwhile = async (lane: Lane, backupId: string): Promise<Outcome> => {
  const run = await beginRestore(lane, backupId, () => armCallFault(lane, 50, 'afterApply'));
  const isKilled = await diesBefore(lane.worker(), endOf(lane, run));
  const violations = await deleteServer(lane);
  await clearFaultsAndLog(lane);
  await lane.startWorker();
  violations.push(...(await untilGone(lane)));
  const calls = await changesOf(lane);
  violations.push(...calls.map(({ method, path }) => `${method} ${path} came after the delete`));
  const name = 'a server deleted while the worker is dead';
  return { name, kills: isKilled ? 1 : 0, isResumed: true, violations, isLaneSpent: true };
};

const endOf =
  (lane: Lane, { restoreId }: RestoreRun) =>
  (signal: AbortSignal) =>
    waitForEnd(lane, restorePath(restoreId), signal);

const slowMs = 100;

const slowDown = ({ simulator }: Lane): Promise<void> =>
  simulator.control('POST', '/faults', {
    ...{ match: {}, times: 1_000_000, when: 'before' },
    ...{ action: 'delay', ms: slowMs },
  });

const changesOf = async (lane: Lane) =>
  (await lane.readLog()).filter(({ applied, method }) => applied && method !== 'GET');

const untilChanges = (lane: Lane, count: number): Promise<void> =>
  eventually(30_000, async () => {
    const { length } = await changesOf(lane);
    if (length < count) throw new Error(`Only ${length} changes were made`);
  });

const deleteServer = async ({ tenant, serverId }: Lane): Promise<string[]> => {
  const { status, text } = await tenant.call('DELETE', `/api/v1/servers/${serverId}`);
  return status === 200 ? [] : [`the delete was answered ${status}: ${text}`];
};

const untilGone = async ({ db }: Lane): Promise<string[]> => {
  try {
    await eventually(60_000, async () => {
      const left = await countRestores(db);
      if (left > 0) throw new Error(`${left} restores were left`);
    });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
};
