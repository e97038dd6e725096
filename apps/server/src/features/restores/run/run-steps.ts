import { setTimeout as sleep } from 'node:timers/promises';
import { type BackupComponent, type RestoreStage, restoreStages } from '@holdfast/contract';
import { awaitAll, createSemaphore } from '../../../kernel/concurrency.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { failureMessage } from '../../backups/capture/failure-message.ts';
import type { Action } from '../plan/action.ts';
import { type IdMap, recordCreated } from '../plan/id-map.ts';
import type { GuildState, StoredPlan } from '../plan/step.ts';
import {
  closedToBots,
  listSteps,
  markStepBegun,
  markStepEnded,
  type StepEnd,
  type StepRow,
} from '../queries/journal.ts';
import { DependencyMissing } from './dependency-missing.ts';
import { findCreated } from './find-created.ts';
import { componentCreatedBy } from './find-created-part.ts';
import { readGuild } from './read-guild.ts';
import { recordCreatedId } from './record-ids.ts';
import { redactAction } from './redact.ts';
import { RestoreRefused, type RestoreRun, requireNotStopped } from './restore-run.ts';
import { runStep, type StepResult } from './run-step.ts';
import { reasonToSkip } from './skip-step.ts';

/**
 * The platform's buckets decide the pace; this only bounds what waits for them. It is a limit per kind
 * of action, so that steps which wait for one bucket do not keep others from theirs.
 */
const maxConcurrentSteps = 12;
const attemptsPerStep = 8;
const longestPauseMs = 30_000;
const maxRefusals = 25;
/** How long the last call of a worker that died may take to have its effect. */
const settleMs = 1000;

type JournalRun = {
  run: RestoreRun;
  plan: StoredPlan;
  steps: StepRow[];
  idMap: IdMap;
  /** Ids that steps are known to have created: no two of them created the same. */
  claimedIds: Set<string>;
  refusals: number;
};

/** Runs the steps of the journal that have not ended. Each is marked before and after its call. */
export const runSteps = async (run: RestoreRun, plan: StoredPlan): Promise<IdMap> => {
  const journal = await openJournal(run, plan);
  await resolveUnknownCreates(journal);
  for (const stage of restoreStages) {
    await runStage(journal, stage);
    if (stage === 'tighten') requireTightened(journal);
  }
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
  return { run, plan, steps, idMap, claimedIds, refusals: 0 };
};

/** Bans do not count: they are set rather than created, and can be repeated. */
const isCreate = ({ action }: StepRow): boolean => 'oldId' in action;

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
    const redacted = redactAction(step.action, isErased) ?? step.action;
    const createdId =
      claimCreated(journal, step.action, current) ?? claimCreated(journal, redacted, current);
    if (createdId !== undefined) await endStep(journal, step, { status: 'done', createdId });
  }
};

const componentsCreatedBy = (steps: StepRow[]): BackupComponent[] =>
  steps.flatMap(({ action }) => componentCreatedBy(action) ?? []);

/** Claims the id at once: another step that creates the same kind of object must not claim it. */
const claimCreated = (
  { plan, idMap, claimedIds }: JournalRun,
  action: Action,
  current: GuildState,
): string | undefined => {
  const idsBefore = new Set(plan.idsBefore);
  const found = findCreated(action, { current, idsBefore, claimedIds, idMap });
  if (found !== undefined) claimedIds.add(found);
  return found;
};

const runStage = async (journal: JournalRun, stage: RestoreStage): Promise<void> => {
  const open = journal.steps.filter(
    (step) => step.stage === stage && step.status !== 'done' && step.status !== 'failed',
  );
  const endings = new Map<number, Promise<void>>();
  const kinds = new Set(open.map(({ action }) => action.do));
  const semaphores = new Map([...kinds].map((kind) => [kind, createSemaphore(maxConcurrentSteps)]));
  let isBroken = false;
  for (const step of open) {
    const runWhenReady = async () => {
      await Promise.all(step.after.map((seq) => endings.get(seq)));
      await semaphores.get(step.action.do)?.(async () => {
        if (!isBroken) await runJournalled(journal, step);
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

const runJournalled = async (journal: JournalRun, step: StepRow): Promise<void> => {
  const { dependencies, owner, lease } = journal.run;
  const failed = journal.steps.filter(({ status }) => status === 'failed');
  const reason = reasonToSkip(step, failed);
  if (reason) return endStep(journal, step, { status: 'failed', error: reason });
  await dependencies.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await requireNotStopped(tx, owner);
    await markStepBegun(tx, owner, step.seq);
  });
  try {
    const { createdId, isClosedToBots } = await attemptStep(journal, step);
    const error = isClosedToBots ? closedToBots : undefined;
    await endStep(journal, step, { status: 'done', createdId, error });
  } catch (error) {
    const isDependencyMissing = error instanceof DependencyMissing;
    const isStepFailure =
      isDependencyMissing || (error instanceof PlatformFailure && !isFatal(journal, error));
    if (!isStepFailure) throw error;
    const message = isDependencyMissing ? error.message : failureMessage(error);
    await endStep(journal, step, { status: 'failed', error: message });
  }
};

const unclearKinds: FailureKind[] = ['unreachable', 'rateLimited', 'badAnswer'];

/** Tries until the outcome is clear. A create is repeated only when its result is seen not to exist. */
const attemptStep = async (journal: JournalRun, step: StepRow): Promise<StepResult> => {
  const { guildId, guild, loadImage, signal } = journal.run;
  for (let attempt = 1; ; attempt++) {
    // Read at every attempt: a person may have been erased since the plan was made.
    const action = redactAction(step.action, await journal.run.readErased());
    if (!action) return {};
    try {
      const done = await runStep(guild, action, journal.idMap, loadImage);
      if (done.createdId !== undefined) journal.claimedIds.add(done.createdId);
      return done;
    } catch (error) {
      if (!(error instanceof PlatformFailure) || !unclearKinds.includes(error.kind)) throw error;
      if (attempt === attemptsPerStep) throw error;
      await sleep(Math.min(longestPauseMs, 500 * 2 ** attempt), undefined, { signal });
      if (!isCreate(step)) continue;
      const current = await readGuild(guildId, guild, componentsCreatedBy([step]));
      const createdId = claimCreated(journal, action, current);
      if (createdId !== undefined) return { createdId };
    }
  }
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
  await dependencies.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
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
