import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../../db/connect.ts';
import { allEnded } from '../../kernel/in-parallel.ts';
import { createTurns } from '../../kernel/turns.ts';
import { type FailureKind, PlatformFailure } from '../../platform/failures.ts';
import { failureSentence } from '../backups/failure-sentence.ts';
import type { Action } from './action.ts';
import { reasonToHoldBack } from './gate.ts';
import type { Groundwork } from './groundwork.ts';
import { type IdMap, recordCreated } from './id-map.ts';
import { listSteps, markStepBegun, markStepEnded, type StepRow } from './queries.ts';
import { readPresent } from './read-present.ts';
import { findCreated } from './reconcile.ts';
import { redactAction } from './redact-action.ts';
import { RestoreRefused, type RestoreWork, requireWanted } from './restore-work.ts';
import { MissingPart, runStep } from './run-step.ts';
import { type PresentGuild, type Stage, stages } from './step.ts';

/**
 * The platform's buckets decide how fast it goes; this only bounds what waits for them. It counts per
 * kind of action, or what waits for one bucket would keep everybody else from theirs.
 */
const stepsAtOnce = 12;
const attemptsPerStep = 8;
const longestPauseMs = 30_000;
const mostRefusals = 25;
/** A call of a worker that died may still be under way; it is given so long to take effect. */
const settleMs = 1000;

type Walk = {
  work: RestoreWork;
  groundwork: Groundwork;
  steps: StepRow[];
  idMap: IdMap;
  /** What steps are known to have made: no two of them made the same. */
  claimedIds: Set<string>;
  refusals: number;
};

/** Does what the journal still has to do. Each step is written down before and after its call. */
export const walkSteps = async (work: RestoreWork, groundwork: Groundwork): Promise<IdMap> => {
  const walk = await takeUpJournal(work, groundwork);
  await settleUnknown(walk);
  for (const stage of stages) {
    await walkStage(walk, stage);
    if (stage === 'tighten') requireTightened(walk);
  }
  return walk.idMap;
};

const takeUpJournal = async (work: RestoreWork, groundwork: Groundwork): Promise<Walk> => {
  const steps = await listSteps(work.tools.db, work.owner);
  const made = steps.filter(({ createdId }) => createdId !== null);
  const idMap = made.reduce(
    (map, { action, createdId }) => recordCreated(map, action, createdId ?? undefined),
    groundwork.idMap,
  );
  const claimedIds = new Set(made.flatMap(({ createdId }) => createdId ?? []));
  return { work, groundwork, steps, idMap, claimedIds, refusals: 0 };
};

/** Bans are set, not made: they can be repeated. */
const makesSomething = ({ action }: StepRow): boolean => 'oldId' in action;

/** A create that was begun and not ended may have taken effect: then it must not be repeated. */
const settleUnknown = async (walk: Walk): Promise<void> => {
  const unknown = walk.steps.filter((step) => step.status === 'begun' && makesSomething(step));
  if (unknown.length === 0) return;
  const { guildId, guild, signal } = walk.work;
  await sleep(settleMs, undefined, { signal });
  const present = await readPresent(guildId, guild, []);
  const isErased = await walk.work.readErased();
  for (const step of unknown) {
    // It was made as planned, or without whoever had erased themselves by then.
    const redacted = redactAction(step.action, isErased) ?? step.action;
    const createdId =
      claimCreated(walk, step.action, present) ?? claimCreated(walk, redacted, present);
    if (createdId !== undefined) await endStep(walk, step, { status: 'done', createdId });
  }
};

/** At once: another step that asks for the like must not take it for its own. */
const claimCreated = (
  { groundwork, idMap, claimedIds }: Walk,
  action: Action,
  present: PresentGuild,
): string | undefined => {
  const idsBefore = new Set(groundwork.idsBefore);
  const found = findCreated(action, { present, idsBefore, claimedIds, idMap });
  if (found !== undefined) claimedIds.add(found);
  return found;
};

const walkStage = async (walk: Walk, stage: Stage): Promise<void> => {
  const open = walk.steps.filter(
    (step) => step.stage === stage && step.status !== 'done' && step.status !== 'failed',
  );
  const endings = new Map<number, Promise<void>>();
  const kinds = new Set(open.map(({ action }) => action.do));
  const turns = new Map([...kinds].map((kind) => [kind, createTurns(stepsAtOnce)]));
  let isBroken = false;
  for (const step of open) {
    const run = async () => {
      await Promise.all(step.after.map((seq) => endings.get(seq)));
      await turns.get(step.action.do)?.(async () => {
        if (!isBroken) await doStep(walk, step);
      });
    };
    endings.set(
      step.seq,
      run().catch((error: unknown) => {
        isBroken = true;
        throw error;
      }),
    );
  }
  await allEnded([...endings.values()]);
};

const doStep = async (walk: Walk, step: StepRow): Promise<void> => {
  const { tools, owner, lease } = walk.work;
  const failed = walk.steps.filter(({ status }) => status === 'failed');
  const reason = reasonToHoldBack(step, failed);
  if (reason) return endStep(walk, step, { status: 'failed', error: reason });
  await tools.db.transaction(async (tx) => {
    await lease.requireHeld(tx);
    await requireWanted(tx, owner);
    await markStepBegun(tx, owner, step.seq);
  });
  try {
    const { createdId } = await tryStep(walk, step);
    await endStep(walk, step, { status: 'done', createdId });
  } catch (error) {
    if (error instanceof MissingPart) {
      await endStep(walk, step, { status: 'failed', error: error.message });
      return;
    }
    if (!(error instanceof PlatformFailure) || isFatal(walk, error)) throw error;
    await endStep(walk, step, { status: 'failed', error: failureSentence(error) });
  }
};

const unclear: FailureKind[] = ['unreachable', 'rateLimited', 'badAnswer'];

/** Tries until the outcome is clear. A create is repeated only when it is seen not to be there. */
const tryStep = async (walk: Walk, step: StepRow): Promise<{ createdId?: string }> => {
  const { guildId, guild, loadImage, signal } = walk.work;
  for (let tried = 1; ; tried++) {
    // Asked anew each time: somebody may have erased themselves since the plan was made.
    const action = redactAction(step.action, await walk.work.readErased());
    if (!action) return {};
    try {
      const done = await runStep(guild, action, walk.idMap, loadImage);
      if (done.createdId !== undefined) walk.claimedIds.add(done.createdId);
      return done;
    } catch (error) {
      if (!(error instanceof PlatformFailure) || !unclear.includes(error.kind)) throw error;
      if (tried === attemptsPerStep) throw error;
      await sleep(Math.min(longestPauseMs, 500 * 2 ** tried), undefined, { signal });
      if (!makesSomething(step)) continue;
      const createdId = claimCreated(walk, action, await readPresent(guildId, guild, []));
      if (createdId !== undefined) return { createdId };
    }
  }
};

const fatal: FailureKind[] = [
  'botTokenDead',
  'breakerOpen',
  'unknownGuild',
  'aborted',
  'unreachable',
];

/** Going on would only collect more of the same. */
const isFatal = (walk: Walk, { kind, status }: PlatformFailure): boolean => {
  if (status === 403) walk.refusals++;
  return fatal.includes(kind) || walk.refusals > mostRefusals;
};

type End = Parameters<typeof markStepEnded>[3];

const endStep = async (walk: Walk, step: StepRow, end: End): Promise<void> => {
  const { tools, owner, lease } = walk.work;
  await tools.db.transaction(async (tx: Transaction) => {
    await lease.requireHeld(tx);
    await markStepEnded(tx, owner, step.seq, end);
  });
  step.status = end.status;
  if (end.createdId === undefined) return;
  walk.idMap = recordCreated(walk.idMap, step.action, end.createdId);
};

/** What should have been closed first is open: then nothing more is opened. */
const requireTightened = ({ steps }: Walk): void => {
  const open = steps.find(({ stage, status }) => stage === 'tighten' && status === 'failed');
  if (open) {
    throw new RestoreRefused(`Permissions could not be taken back first (${open.name}): stopped`);
  }
};
