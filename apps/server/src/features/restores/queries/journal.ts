import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import type { Action } from '../plan/action.ts';
import type { Step, StoredPlan } from '../plan/step.ts';
import type { StepFailure } from '../run/step-failure.ts';
import { restoreSteps, restores, type stepStatuses } from '../table.ts';
import { type RestoreOwner, selectOwnId, updateRestore } from './restores.ts';

const { restoreId, seq } = restoreSteps;

/** A step can hold a thousand overwrites: to write or read all at once would hold the event loop. */
const stepsAtOnce = 50;

/** From here on the steps are known, and a worker that takes over goes on with them. */
export const storePlan = async (
  tx: Transaction,
  owner: RestoreOwner,
  steps: readonly Step[],
  plan: StoredPlan,
): Promise<void> => {
  const rows = steps.map((step) => ({ ...step, restoreId: owner.restoreId }));
  for (let from = 0; from < rows.length; from += stepsAtOnce) {
    await tx.insert(restoreSteps).values(rows.slice(from, from + stepsAtOnce));
  }
  const { warnings, notes } = plan;
  const known = { plan, warnings, notes };
  await updateRestore(tx, owner, { status: 'running', stepsTotal: steps.length, ...known });
};

export type StepRow = Awaited<ReturnType<typeof listStepsAfter>>[number];

export const listSteps = async (db: Queryable, owner: RestoreOwner): Promise<StepRow[]> => {
  const steps: StepRow[] = [];
  for (let after = 0; ; ) {
    const page = await listStepsAfter(db, owner, after);
    steps.push(...page);
    const last = page.at(-1);
    if (!last || page.length < stepsAtOnce) return steps;
    after = last.seq;
  }
};

const listStepsAfter = (db: Queryable, owner: RestoreOwner, afterSeq: number) =>
  db
    .select({
      seq,
      stage: restoreSteps.stage,
      after: restoreSteps.after,
      action: restoreSteps.action,
      type: restoreSteps.type,
      name: restoreSteps.name,
      effect: restoreSteps.effect,
      status: restoreSteps.status,
      createdId: restoreSteps.createdId,
      failure: restoreSteps.failure,
      error: restoreSteps.error,
    })
    .from(restoreSteps)
    .where(and(inArray(restoreId, selectOwnId(db, owner)), gt(seq, afterSeq)))
    .orderBy(asc(seq))
    .limit(stepsAtOnce);

const isStep = (owner: RestoreOwner, ofSeq: number) =>
  and(eq(restoreId, owner.restoreId), eq(seq, ofSeq));

export const markStepBegun = async (
  tx: Transaction,
  owner: RestoreOwner,
  ofSeq: number,
): Promise<void> => {
  await tx.update(restoreSteps).set({ status: 'begun' }).where(isStep(owner, ofSeq));
};

/** For a step that is to do less than was planned. */
export const narrowStep = async (
  tx: Transaction,
  owner: RestoreOwner,
  ofSeq: number,
  action: Action,
): Promise<void> => {
  await tx.update(restoreSteps).set({ action }).where(isStep(owner, ofSeq));
};

/** For a step that had no effect yet and is tried later. */
export const markStepPlanned = async (
  tx: Transaction,
  owner: RestoreOwner,
  ofSeq: number,
): Promise<void> => {
  await tx.update(restoreSteps).set({ status: 'planned' }).where(isStep(owner, ofSeq));
};

export type StepEnd = {
  status: Extract<(typeof stepStatuses)[number], 'done' | 'failed'>;
  createdId?: string;
  /** Of a step that is done: what of it the platform refused. */
  failure?: StepFailure;
};

export const markStepEnded = async (
  tx: Transaction,
  owner: RestoreOwner,
  ofSeq: number,
  end: StepEnd,
): Promise<void> => {
  await tx.update(restoreSteps).set(end).where(isStep(owner, ofSeq));
  const counter = end.status === 'done' ? 'stepsDone' : 'stepsFailed';
  await updateRestore(tx, owner, { [counter]: sql`${restores[counter]} + 1` });
};

export const redactStep = async (
  db: Queryable,
  owner: RestoreOwner,
  ofSeq: number,
  redacted: Pick<typeof restoreSteps.$inferInsert, 'action' | 'name'>,
): Promise<void> => {
  await db
    .update(restoreSteps)
    .set(redacted)
    .where(and(isStep(owner, ofSeq), inArray(restoreId, selectOwnId(db, owner))));
};
