import { setTimeout as sleep } from 'node:timers/promises';
import { type RestoreStage, restoreStages } from '@holdfast/contract';
import { awaitAll, createSemaphore, shareReads } from '../../../kernel/concurrency.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { type IdMap, recordCreated } from '../plan/id-map.ts';
import type { StoredPlan } from '../plan/step.ts';
import {
  listSteps,
  markStepBegun,
  markStepEnded,
  markStepPlanned,
  type StepEnd,
  type StepRow,
} from '../queries/journal.ts';
import { attemptStep, claimCreated, componentsCreatedBy, QuotaUsedUp } from './attempt-step.ts';
import { hasEnded, isCreate, type JournalRun } from './journal-run.ts';
import { readGuild } from './read-guild.ts';
import { createHolderReader } from './read-holders.ts';
import { recordCreatedId } from './record-ids.ts';
import { redactAction } from './redact.ts';
import {
  RestoreRefused,
  type RestoreRun,
  RestoreSuspended,
  requireNotStopped,
} from './restore-run.ts';
import { reasonToSkip } from './skip-step.ts';
import { DependencyMissing, stepFailureOf } from './step-failure.ts';

/**
 * The platform's buckets decide the pace; this only bounds what waits for them. It is a limit per kind
 * of action, so that steps which wait for one bucket do not keep others from theirs.
 */
const maxConcurrentSteps = 12;
const maxRefusals = 25;
/** How long the last call of a worker that died may take to have its effect. */
const settleMs = 1000;

/**
 * Runs the steps of the journal that have not ended. Each is marked before and after its call. Where a
 * quota of the platform is used up, everything else is done that need not wait for it; then the restore
 * is suspended.
 */
export const runSteps = async (run: RestoreRun, plan: StoredPlan): Promise<IdMap> => {
  const journal = await openJournal(run, plan);
  await resolveUnknownCreates(journal);
  for (const stage of restoreStages) {
    await runStage(journal, stage);
    if (stage === 'tighten') requireTightened(journal);
    if (isStageHeldUp(journal, stage)) break;
  }
  if (journal.quotas.size > 0) throw new RestoreSuspended(Math.min(...journal.quotas.values()));
  return journal.idMap;
};

const openJournal = async (run: RestoreRun, plan: StoredPlan): Promise<JournalRun> => {
  const steps = await listSteps(run.dependencies.db, run.owner);
  const created = steps.filter(({ createdId }) => createdId !== null);
  const idMap = created.reduce(
    (map, { action, createdId }) => recordCreated(map, action, createdId ?? undefined),
    plan.idMap,
  );
  const claimedIds = new Set(created.flatMap(({ createdId }) => createdId ?? []));
  return {
    ...{ run, plan, steps, idMap, claimedIds, refusals: 0, quotas: new Map() },
    readChannels: shareReads(() => run.guild.readChannels()),
    readHolders: createHolderReader(run, plan),
  };
};

/** A create that was begun and not ended may have had its effect: then it must not be repeated. */
const resolveUnknownCreates = async (journal: JournalRun): Promise<void> => {
  const unknown = journal.steps.filter((step) => step.status === 'begun' && isCreate(step));
  if (unknown.length === 0) return;
  const { guildId, guild, signal } = journal.run;
  await sleep(settleMs, undefined, { signal });
  const current = await readGuild(guildId, guild, componentsCreatedBy(unknown));
  const isErased = await journal.run.readErased();
  for (const step of unknown) {
    // It was created as planned, or without the people who had been erased by then.
    const action = redactAction(step.action, isErased) ?? step.action;
    const createdId =
      (await claimCreated(journal, step, current)) ??
      (await claimCreated(journal, { ...step, action }, current));
    if (createdId !== undefined) await endStep(journal, step, { status: 'done', createdId });
  }
};

/** The types that the later stages build on. Others may come later without opening anything. */
const structuralTypes: readonly StepRow['type'][] = ['role', 'channel', 'settings'];

/** Whether the next stage must wait for a quota too. */
const isStageHeldUp = ({ steps, quotas }: JournalRun, stage: RestoreStage): boolean =>
  quotas.size > 0 &&
  steps.some(
    (step) => step.stage === stage && structuralTypes.includes(step.type) && !hasEnded(step),
  );

const runStage = async (journal: JournalRun, stage: RestoreStage): Promise<void> => {
  const open = journal.steps.filter((step) => step.stage === stage && !hasEnded(step));
  const endings = new Map<number, Promise<void>>();
  const kinds = new Set(open.map(({ action }) => action.do));
  const semaphores = new Map([...kinds].map((kind) => [kind, createSemaphore(maxConcurrentSteps)]));
  let isBroken = false;
  for (const step of open) {
    const runWhenReady = async () => {
      await Promise.all(step.after.map((seq) => endings.get(seq)));
      await semaphores.get(step.action.do)?.(async () => {
        if (!isBroken && !mustWait(journal, step)) await runJournalled(journal, step);
      });
    };
    endings.set(
      step.seq,
      runWhenReady().catch((error: unknown) => {
        isBroken = true;
        throw error;
      }),
    );
  }
  await awaitAll([...endings.values()]);
};

/** For its own quota, for a step that waits, or, if it deletes, for what replaces the deleted. */
const mustWait = ({ steps, quotas }: JournalRun, step: StepRow): boolean => {
  if (quotas.size === 0 || quotas.has(step.action.do)) return quotas.size > 0;
  const replaces = ({ type, effect, action }: StepRow) =>
    effect === 'create' && type === step.type && quotas.has(action.do);
  return steps.some(
    (other) =>
      !hasEnded(other) &&
      (step.after.includes(other.seq) || (step.effect === 'delete' && replaces(other))),
  );
};

const runJournalled = async (journal: JournalRun, step: StepRow): Promise<void> => {
  const { dependencies, owner, lease } = journal.run;
  const failed = journal.steps.filter(({ status }) => status === 'failed');
  const failure = reasonToSkip(step, failed, journal.idMap.channels);
  if (failure) return endStep(journal, step, { status: 'failed', failure });
  await lease.transaction(dependencies.db, async (tx) => {
    await requireNotStopped(tx, owner);
    await markStepBegun(tx, owner, step.seq);
  });
  try {
    await endStep(journal, step, { status: 'done', ...(await attemptStep(journal, step)) });
  } catch (error) {
    if (error instanceof QuotaUsedUp) return putOff(journal, step, error);
    const isStepFailure =
      error instanceof DependencyMissing ||
      (error instanceof PlatformFailure && !isFatal(journal, error));
    if (!isStepFailure) throw error;
    await endStep(journal, step, { status: 'failed', failure: stepFailureOf(error) });
  }
};

/** It had no effect, and is as if it had not been begun. */
const putOff = async (
  { run, quotas }: JournalRun,
  step: StepRow,
  { retryAfterMs }: QuotaUsedUp,
): Promise<void> => {
  const { dependencies, owner, lease } = run;
  await lease.transaction(dependencies.db, (tx) => markStepPlanned(tx, owner, step.seq));
  quotas.set(step.action.do, Math.max(quotas.get(step.action.do) ?? 0, retryAfterMs));
};

const fatalKinds: FailureKind[] = [
  'botTokenDead',
  'breakerOpen',
  'unknownGuild',
  'aborted',
  'unreachable',
];

/** Whether further steps would only fail in the same way. */
const isFatal = (journal: JournalRun, { kind, status }: PlatformFailure): boolean => {
  if (status === 403) journal.refusals++;
  return fatalKinds.includes(kind) || journal.refusals > maxRefusals;
};

const endStep = async (journal: JournalRun, step: StepRow, end: StepEnd): Promise<void> => {
  const { dependencies, owner, lease } = journal.run;
  await lease.transaction(dependencies.db, async (tx) => {
    await markStepEnded(tx, owner, step.seq, end);
    await recordCreatedId(tx, journal.run, step.action, end.createdId);
  });
  step.status = end.status;
  journal.idMap = recordCreated(journal.idMap, step.action, end.createdId);
};

/** Where permissions could not be taken away first, nothing more is opened. */
const requireTightened = ({ steps }: JournalRun): void => {
  const open = steps.find(({ stage, status }) => stage === 'tighten' && status === 'failed');
  if (open) {
    throw new RestoreRefused(`Permissions could not be taken back first (${open.name}): stopped`);
  }
};
