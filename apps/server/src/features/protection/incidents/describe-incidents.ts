import { type NotStoppedCode, type ThresholdKind, thresholdKinds } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import { describeNotStopped } from '../../alerts/text/describe-alert.ts';
import { countActs, type IncidentRow, listExecutors } from '../queries/incidents.ts';

/** The incidents with who took part and what they did, as the contract has them. */
export const describeIncidents = async (db: Queryable, rows: readonly IncidentRow[]) => {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const executors = Map.groupBy(await listExecutors(db, ids), ({ incidentId }) => incidentId);
  const counts = Map.groupBy(await countActs(db, ids), ({ incidentId }) => incidentId);
  return rows.map((row) => ({
    ...row,
    pending: row.pending && { action: row.pending.action, at: new Date(row.pending.at) },
    executors: (executors.get(row.id) ?? []).map(withNotStopped),
    ...summarize(counts.get(row.id) ?? []),
    detectedAfterMs: msBetween(row.firstActAt, row.detectedAt),
    containedAfterMs: row.containedAt && msBetween(row.firstActAt, row.containedAt),
  }));
};

/** Somebody with the reason why they could not be stopped, as the contract has it. */
export const withNotStopped = <One extends { whyNotStopped: NotStoppedCode | null }>({
  whyNotStopped: code,
  ...executor
}: One) => ({
  ...executor,
  notStopped: code && { code, detail: describeNotStopped(code) },
});

type ActCount = Awaited<ReturnType<typeof countActs>>[number];

const summarize = (counts: readonly ActCount[]) => {
  const of = (kind: string) => counts.find((count) => count.kind === kind)?.acts ?? 0;
  return {
    acts: {
      total: counts.reduce((sum, { acts }) => sum + acts, 0),
      // `fromEntries` forgets the names.
      byKind: Object.fromEntries(thresholdKinds.map((kind) => [kind, of(kind)])) as Record<
        ThresholdKind,
        number
      >,
    },
    objectsLost: counts.reduce((sum, { lost }) => sum + lost, 0),
  };
};

/** Times of the platform and of the database can differ a little. */
const msBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime());
