import { findPrimary } from '../../../src/db/primary/primary.ts';
import { type Cluster, type Loss, losses, startCluster } from '../../harness/failover/cluster.ts';
import type { ClusterPrograms } from '../../harness/failover/programs.ts';
import { isAlive } from '../../harness/running-service.ts';
import { backUp } from '../lane/calls.ts';
import { type Lane, openLane } from '../lane/lane.ts';
import { openPullSetup, type PullSetup } from '../pulls/setup.ts';
import { startPull, startRestore } from './work.ts';
import { startWriter, type Writer } from './writes.ts';

type Setup = {
  cluster: Cluster;
  pulls: PullSetup;
  restores: Lane;
  backupId: string;
  writers: Writer[];
};

type Options = {
  promotions: number;
  /** Taken in turn. */
  ways?: readonly Loss[];
  say(line: string): void;
};

type PromotionReport = { acknowledged: number; refused: number; violations: string[] };

const recoverWithinMs = 30_000;

/**
 * Promotes the standby under load, again and again. Two installations on one cluster, one of which pulls
 * members and one of which restores a server, both with somebody who writes; each has an API process and
 * a worker, which are never restarted.
 */
export const runPromotions = async (
  programs: ClusterPrograms,
  { promotions, ways = losses, say }: Options,
): Promise<PromotionReport> => {
  const cluster = await startCluster(programs);
  const lanes: Lane[] = [];
  try {
    const [pulls, restores] = await openLanes(cluster, lanes);
    const backupId = await backUp(restores);
    const writers = [pulls.lane, restores].map(startWriter);
    const setup = { cluster, pulls, restores, backupId, writers };
    const violations: string[] = [];
    for (let nth = 1; nth <= promotions; nth++) {
      const way = ways[(nth - 1) % ways.length] ?? 'postgres';
      const { line, found } = await promoteOnce(setup, way);
      say(`${String(nth).padStart(3)} ${line}`);
      for (const violation of found) say(`      ${violation}`);
      violations.push(...found.map((violation) => `${nth} (${way}): ${violation}`));
    }
    for (const writer of writers) violations.push(...(await writer.stop()));
    const counts = writers.map((writer) => writer.counts());
    return {
      acknowledged: sum(counts.map(({ acknowledged }) => acknowledged)),
      refused: sum(counts.map(({ refused }) => refused)),
      violations,
    };
  } finally {
    for (const lane of lanes) await lane.close();
    await cluster.stop();
  }
};

const openLanes = async (cluster: Cluster, opened: Lane[]): Promise<[PullSetup, Lane]> => {
  const addresses = [
    await cluster.createDatabase('pulling'),
    await cluster.createDatabase('restoring'),
  ] as const;
  for (const address of addresses) await findPrimary(address, 10_000);
  const [pulling, restoring] = addresses;
  const keep = (lane: Lane) => opened.push(lane);
  const pulls = openPullSetup({ databaseUrl: pulling });
  const restores = openLane({}, { databaseUrl: restoring });
  pulls.then(({ lane }) => keep(lane)).catch(() => undefined);
  restores.then(keep).catch(() => undefined);
  return Promise.all([pulls, restores]);
};

/** The work is well under way by then. */
const underWayMs = 1500;

const promoteOnce = async (
  { cluster, pulls, restores, backupId, writers }: Setup,
  way: Loss,
): Promise<{ line: string; found: string[] }> => {
  const lanes = [pulls.lane, restores];
  const pids = lanes.flatMap((lane) => [lane.api.pid, lane.worker().pid]);
  const works = await Promise.all([startPull(pulls), startRestore(restores, backupId)]);
  await Bun.sleep(underWayMs);
  for (const writer of writers) writer.takeLongestPauseMs();
  const old = await cluster.leader();
  const lostAt = performance.now();
  const promoting = cluster.lose(way);
  for (const work of works) await work.noteLoss();
  const now = await promoting;
  const promotedMs = performance.now() - lostAt;
  const recoveredMs = (await firstWriteAfter(lostAt + promotedMs, writers)) - lostAt;
  const found: string[] = [];
  await cluster.heal();
  for (const work of works) found.push(...(await work.finish()));
  const pauseMs = Math.max(...writers.map((writer) => writer.takeLongestPauseMs()));
  if (recoveredMs > recoverWithinMs) found.push(`recovered only after ${inSeconds(recoveredMs)}`);
  if (pauseMs > recoverWithinMs) found.push(`no write for ${inSeconds(pauseMs)}`);
  if (!pids.every(isAlive)) found.push('a process of the service ended');
  const line = [
    ...[way.padEnd(10), `${old} → ${now}`, `promoted after ${inSeconds(promotedMs)}`],
    ...[`written again after ${inSeconds(recoveredMs)}`, `longest pause ${inSeconds(pauseMs)}`],
    ...(found.length > 0 ? [`${found.length} violations`] : []),
  ].join('  ');
  return { line, found };
};

/** When both had a write acknowledged that was begun after that moment. */
const firstWriteAfter = async (moment: number, writers: Writer[]): Promise<number> => {
  const deadline = moment + 4 * recoverWithinMs;
  while (performance.now() < deadline) {
    const lasts = writers.map((writer) => writer.last());
    if (lasts.every(({ begunAt }) => begunAt > moment)) {
      return Math.max(...lasts.map(({ endedAt }) => endedAt));
    }
    await Bun.sleep(20);
  }
  return performance.now();
};

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
