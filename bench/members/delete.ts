import { openConnection, requestText } from '../lib/connection.ts';
import type { Bench } from '../lib/environment.ts';
import { milliseconds, print, printTable, seconds, verdict } from '../lib/print.ts';
import { countRows, isErased, writeEverythingOut } from '../lib/queries.ts';
import { median, quantile } from '../lib/statistics.ts';
import { otherTenantLoad, readAccount, type Slice } from './other-tenant.ts';
import { type MemberServer, memberServersOf } from './servers.ts';

const answerGoalMs = 1000;
const ratioGoal = 2;
const warmUpSlices = 5;
const quietSlices = 20;
/** A purge that takes longer than this has stopped. */
const mostPurgeSlices = 300;

/** The latency of another tenant while a server with a million members is deleted. */
export const measureDelete = async (bench: Bench): Promise<void> => {
  const { large } = await memberServersOf(bench);
  const other = await bench.newTenant();
  await writeEverythingOut(bench.sql);
  print(`delete: GET /account of another tenant, ${otherTenantLoad.rate} a second`);
  await readAccount(bench, other, warmUpSlices);
  const before = await readAccount(bench, other, quietSlices);

  const startedAt = performance.now();
  const answerMs = await deleteServer(bench, large);
  const during = await readAccount(bench, other, mostPurgeSlices, () =>
    isErased(bench.sql, large.id),
  );
  const purgeMs = performance.now() - startedAt;
  const left = await countRows(bench.sql, large.id);
  if (left > 0) throw new Error(`The purge left ${left} members`);

  const after = await readAccount(bench, other, quietSlices);
  report({ before, during, after });
  print(`  answered after ${milliseconds(answerMs)}, goal < ${answerGoalMs} ms: \
${verdict(answerMs < answerGoalMs)}`);
  print(`  ${large.members} members erased after ${seconds(purgeMs)}\n`);
};

const deleteServer = async (bench: Bench, server: MemberServer): Promise<number> => {
  const origin = bench.service.url;
  const connection = await openConnection(origin);
  const path = `/api/v1/servers/${server.id}`;
  const startedAt = performance.now();
  const { status, body } = await connection.send(
    requestText({ origin, method: 'DELETE', path, key: server.owner.key }),
  );
  const answerMs = performance.now() - startedAt;
  connection.close();
  if (status !== 200) throw new Error(`DELETE ${path}: ${body.toString()}`);
  return answerMs;
};

const wholeP99 = (slices: Slice[]) => quantile(slices.flat(), 0.99);
const usualP99 = (slices: Slice[]) => median(slices.map((slice) => quantile(slice, 0.99)));

/** The worse of two ratios counts: one bad second of a busy machine may be in either phase. */
const report = (phases: { before: Slice[]; during: Slice[]; after: Slice[] }): void => {
  const row = ([name, slices]: [string, Slice[]]) => [
    name,
    String(slices.flat().length),
    milliseconds(median(slices.flat())),
    milliseconds(wholeP99(slices)),
    milliseconds(usualP99(slices)),
  ];
  printTable(
    ['', 'requests', 'p50', 'p99', 'p99 of a usual second'],
    Object.entries(phases).map(row),
  );
  const { before, during } = phases;
  const ratios = [wholeP99, usualP99].map((p99) => p99(during) / p99(before));
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join(', of a usual second ');
  const isReached = Math.max(...ratios) <= ratioGoal;
  print(`  p99 during / before ${shown}, goal ≤ ${ratioGoal}: ${verdict(isReached)}`);
};
