import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from '../plan/id-map.ts';
import { keepProtection } from '../plan/keep-protection.ts';
import { toStoredLoss } from '../plan/loss.ts';
import type { GuildState, StoredPlan } from '../plan/step.ts';
import { listSteps } from '../queries/journal.ts';
import type { RestoreEnd } from '../queries/restores.ts';
import { readUndo, wantedAfterUndo } from '../undo/read-undo.ts';
import { findDifferences } from '../verify/differences.ts';
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
  const { components } = run.restore;
  const read = () => readGuild(run.guildId, run.guild, components);
  const [saved, found, steps] = await Promise.all([
    run.readSnapshot(),
    read(),
    listSteps(run.dependencies.db, run.owner),
  ]);
  const isKept = notes?.some(({ code }) => code === 'protectionKept');
  const snapshot = isKept ? keepProtection(saved, found).snapshot : saved;
  const wanted = await wantedOf(run, { snapshot, idMap }, found);
  const closed = await closeOpened({ run, steps, idMap }, wanted, found);
  const actual = closed.length === 0 ? found : await read();
  const differences = findDifferences(wanted.snapshot, actual, wanted.idMap, components, {
    ...{ mode: run.restore.mode, deleteExtra: run.restore.deleteExtra },
    ...{ isUndo: run.restore.undo !== null, now: run.dependencies.clock.now() },
  });
  // The plan may have read them, so that it has no such loss.
  const unread = components.includes('bans') && !actual.bans ? [bansNotRead] : [];
  const problems = listProblems({ steps, losses: [...losses, ...unread], differences });
  const isWhole = problems.every(isNobodysFailure);
  return {
    status: isWhole ? 'completed' : 'partial',
    warnings: [...warnings, ...closed.map(wasClosed), ...shorten(withoutTwins(problems))],
  };
};

const wasClosed = (name: string) =>
  `#${name} was open to people who must not see it, and has been closed.`;

type Wanted = { snapshot: Snapshot; idMap: IdMap };

/** What an undo leads to depends on the guild, of which it leaves most as it is. */
const wantedOf = async (
  { restore, dependencies, owner, ...run }: RestoreRun,
  { snapshot, idMap }: Wanted,
  actual: GuildState,
): Promise<Wanted> => {
  if (!restore.undo) return { snapshot, idMap };
  const input = { scope: restore.undo, backup: snapshot, current: actual };
  const isErased = await run.readErased();
  return wantedAfterUndo(await readUndo(dependencies.db, owner.accountId, input, isErased));
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
