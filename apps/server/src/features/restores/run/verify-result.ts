import { modeFor } from '../../backups/snapshot/large.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import { keepProtection } from '../plan/keep-protection.ts';
import { toStoredLoss } from '../plan/loss.ts';
import type { GuildState, StoredPlan } from '../plan/step.ts';
import { listSteps } from '../queries/journal.ts';
import type { RestoreEnd } from '../queries/restores.ts';
import type { UndoThings } from '../undo/live-undo.ts';
import { readUndo } from '../undo/read-undo.ts';
import { checkResultTask } from '../verify/check-result-task.ts';
import { closeOpened } from './close-opened.ts';
import { listProblems } from './list-problems.ts';
import { readGuild } from './read-guild.ts';
import type { RestoreRun } from './restore-run.ts';
import { describeWarning, type StoredWarning } from './stored-warning.ts';

const maxProblems = 200;
const bansNotRead = toStoredLoss({ type: 'ban', name: 'all', code: 'bansNotReadable' });

/** Reads the result instead of trusting the steps, so that whatever is missing is named. */
export const verifyResult = async (
  run: RestoreRun,
  { losses, warnings, notes }: StoredPlan,
  idMap: IdMap,
): Promise<RestoreEnd> => {
  const { dependencies, owner } = run;
  const { components, mode, deleteExtra } = run.restore;
  const read = () => readGuild(run.guildId, run.guild, components);
  const [saved, found, steps] = await Promise.all([
    run.readSnapshot(),
    read(),
    listSteps(dependencies.db, owner),
  ]);
  const isKept = notes?.some(({ code }) => code === 'protectionKept');
  const snapshot = isKept ? keepProtection(saved, found).snapshot : saved;
  const undo = await readUndoOf(run, snapshot, found);
  const check = (after?: GuildState) =>
    dependencies.aside.run(
      checkResultTask,
      { snapshot, found, after, undo },
      {
        ...{ idMap, components, mode, deleteExtra, isUndo: undo !== undefined },
        now: dependencies.clock.now(),
      },
      { accountId: owner.accountId, mode: modeFor(snapshot, found), waits: 'job' },
    );
  const checked = await check();
  const closed = await closeOpened({ run, steps, idMap }, checked.open);
  const after = closed.length === 0 ? undefined : await read();
  const { differences } = after ? await check(after) : checked;
  // The plan may have read them, so that it has no such loss.
  const unread = components.includes('bans') && !(after ?? found).bans ? [bansNotRead] : [];
  const problems = listProblems({ steps, losses: [...losses, ...unread], differences });
  const isWhole = problems.every(isNobodysFailure);
  return {
    status: isWhole ? 'completed' : 'partial',
    warnings: [...warnings, ...closed.map(wasClosed), ...shorten(withoutTwins(problems))],
  };
};

const wasClosed = (name: string) =>
  `#${name} was open to people who must not see it, and has been closed.`;

const readUndoOf = async (
  { restore, dependencies, owner, ...run }: RestoreRun,
  backup: Snapshot,
  current: GuildState,
): Promise<Pick<UndoThings, 'scope' | 'ids'> | undefined> => {
  if (!restore.undo) return undefined;
  const input = { scope: restore.undo, backup, current };
  const isErased = await run.readErased();
  const { scope, ids } = await readUndo(dependencies.db, owner.accountId, input, isErased);
  return { scope, ids };
};

const isNobodysFailure = (problem: StoredWarning): boolean =>
  typeof problem === 'object' &&
  problem.about === 'step' &&
  problem.failure.code === 'closedToBots';

const withoutTwins = (problems: StoredWarning[]): StoredWarning[] => [
  ...new Map(problems.map((problem) => [describeWarning(problem), problem])).values(),
];

const shorten = (problems: StoredWarning[]): StoredWarning[] =>
  problems.length <= maxProblems
    ? problems
    : [...problems.slice(0, maxProblems), { about: 'more', count: problems.length - maxProblems }];
