import type { IdMap } from '../plan/id-map.ts';
import { toStoredLoss } from '../plan/loss.ts';
import type { StoredPlan } from '../plan/step.ts';
import { listSteps } from '../queries/journal.ts';
import type { RestoreEnd } from '../queries/restores.ts';
import { findDifferences } from '../verify/differences.ts';
import { listProblems } from './list-problems.ts';
import { readGuild } from './read-guild.ts';
import type { RestoreRun } from './restore-run.ts';
import { describeWarning, type StoredWarning } from './stored-warning.ts';

const maxProblems = 200;
const bansNotRead = toStoredLoss({ type: 'ban', name: 'all', code: 'bansNotReadable' });

/** Reads the result instead of trusting the steps, so that whatever is missing is named. */
export const verifyResult = async (
  run: RestoreRun,
  { losses, warnings }: StoredPlan,
  idMap: IdMap,
): Promise<RestoreEnd> => {
  const { components } = run.restore;
  const [snapshot, actual, steps] = await Promise.all([
    run.readSnapshot(),
    readGuild(run.guildId, run.guild, components),
    listSteps(run.dependencies.db, run.owner),
  ]);
  const differences = findDifferences(snapshot, actual, idMap, components, {
    ...run.restore,
    now: run.dependencies.clock.now(),
  });
  // The plan may have read them, so that it has no such loss.
  const unread = components.includes('bans') && !actual.bans ? [bansNotRead] : [];
  const problems = listProblems({ steps, losses: [...losses, ...unread], differences });
  const isWhole = problems.every(isNobodysFailure);
  return {
    status: isWhole ? 'completed' : 'partial',
    warnings: [...warnings, ...shorten(withoutTwins(problems))],
  };
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
