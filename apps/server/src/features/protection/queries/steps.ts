import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { incidentSteps, type StepKind } from '../table.ts';
import type { OfIncident } from './of-incident.ts';

type NewStep = { kind: StepKind; executorId?: string; detail?: Record<string, unknown> };

/** The next step of the journal. The incident has to be locked, or its job to hold its lease. */
export const beginStep = async (
  tx: Transaction,
  { incidentId }: OfIncident,
  { kind, executorId = undefined, detail = {} }: NewStep,
): Promise<number> => {
  const next = sql<number>`(select coalesce(max(${incidentSteps.seq}), 0) + 1
    from ${incidentSteps} where ${incidentSteps.incidentId} = ${incidentId})`;
  const [step] = await tx
    .insert(incidentSteps)
    .values({ incidentId, seq: next, kind, detail, ...(executorId && { executorId }) })
    .returning({ seq: incidentSteps.seq });
  if (!step) throw new Error('The step was not stored');
  return step.seq;
};

/**
 * The step of this kind, about this person, that a run began and did not come to end; else a new one. So
 * what is done again stands in the journal once.
 */
export const continueStep = async (
  tx: Transaction,
  owner: OfIncident,
  step: NewStep,
): Promise<number> => {
  const [begun] = await listBegunSteps(tx, owner, step);
  return begun?.seq ?? (await beginStep(tx, owner, step));
};

export const listBegunSteps = (
  db: Queryable,
  { incidentId }: OfIncident,
  { kind, executorId }: Pick<NewStep, 'kind' | 'executorId'>,
) =>
  db
    .select({ seq: incidentSteps.seq })
    .from(incidentSteps)
    .where(
      and(
        eq(incidentSteps.incidentId, incidentId),
        eq(incidentSteps.kind, kind),
        executorId === undefined ? undefined : eq(incidentSteps.executorId, executorId),
        eq(incidentSteps.status, 'begun'),
      ),
    )
    .orderBy(asc(incidentSteps.seq));

/** Adds to what a step says of itself. */
export const noteDetail = async (
  tx: Transaction,
  { incidentId }: OfIncident,
  { seq, detail }: { seq: number; detail: Record<string, unknown> },
): Promise<void> => {
  await tx
    .update(incidentSteps)
    .set({ detail: sql`${incidentSteps.detail} || ${JSON.stringify(detail)}::text::jsonb` })
    .where(and(eq(incidentSteps.incidentId, incidentId), eq(incidentSteps.seq, seq)));
};

export const endStep = async (
  tx: Transaction,
  { incidentId }: OfIncident,
  ended: { seq: number; status: 'done' | 'failed'; detail?: Record<string, unknown> },
): Promise<void> => {
  await tx
    .update(incidentSteps)
    .set({
      status: ended.status,
      endedAt: sql`clock_timestamp()`,
      detail: sql`${incidentSteps.detail} || ${JSON.stringify(ended.detail ?? {})}::text::jsonb`,
    })
    .where(and(eq(incidentSteps.incidentId, incidentId), eq(incidentSteps.seq, ended.seq)));
};

/** The step of this kind that was taken last. */
export const findLastStep = (db: Queryable, { incidentId }: OfIncident, kind: StepKind) =>
  firstRow(
    db
      .select({
        seq: incidentSteps.seq,
        status: incidentSteps.status,
        detail: incidentSteps.detail,
      })
      .from(incidentSteps)
      .where(and(eq(incidentSteps.incidentId, incidentId), eq(incidentSteps.kind, kind)))
      .orderBy(desc(incidentSteps.seq))
      .limit(1),
  );
