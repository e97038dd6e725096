import { openConnection, requestText } from './connection.ts';
import { type MemberServer, memberServersOf } from './member-servers.ts';
import { otherTenantLoad, readAccount, type Slice } from './other-tenant.ts';
import { milliseconds, print, printTable, seconds, verdict } from './print.ts';
import { countRows, isErased, writeEverythingOut } from './queries.ts';
import { median, quantile } from './statistics.ts';
import type { World } from './world.ts';

const answerGoalMs = 1000;
const ratioGoal = 2;
const warmUpSlices = 5;
const quietSlices = 20;
/** A purge that takes longer than this has stopped. */
const mostPurgeSlices = 300;

/** What the others feel while a server with a million members is deleted. */
export const measureDelete = async (world: World): Promise<void> => {
  const { large } = await memberServersOf(world);
  const other = await world.newTenant();
  await writeEverythingOut(world.sql);
  print(`delete: GET /account of another tenant, ${otherTenantLoad.rate} a second`);
  await readAccount(world, other, warmUpSlices);
  const before = await readAccount(world, other, quietSlices);

  const startedAt = performance.now();
  const answerMs = await deleteServer(world, large);
  const during = await readAccount(world, other, mostPurgeSlices, () =>
    isErased(world.sql, large.id),
  );
  const purgeMs = performance.now() - startedAt;
  const left = await countRows(world.sql, large.id);
  if (left > 0) throw new Error(`The purge left ${left} members`);

  const after = await readAccount(world, other, quietSlices);
  report({ before, during, after });
  print(`  answered after ${milliseconds(answerMs)}, goal < ${answerGoalMs} ms: \
${verdict(answerMs < answerGoalMs)}`);
  print(`  ${large.members} members erased after ${seconds(purgeMs)}\n`);
};

const deleteServer = async (world: World, server: MemberServer): Promise<number> => {
  const origin = world.service.url;
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

/** Judged by the worse of two: one bad second of a busy machine may lie in either phase. */
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
