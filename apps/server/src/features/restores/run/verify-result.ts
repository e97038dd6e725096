import type { IdMap } from '../plan/id-map.ts';
import { describeLoss } from '../plan/loss.ts';
import type { StoredPlan } from '../plan/step.ts';
import { listSteps } from '../queries/journal.ts';
import type { RestoreEnd } from '../queries/restores.ts';
import { describeDifference } from '../verify/describe-difference.ts';
import { findDifferences } from '../verify/differences.ts';
import { readGuild } from './read-guild.ts';
import type { RestoreRun } from './restore-run.ts';

const maxMessages = 200;

/** Reads the result instead of trusting the steps, so that whatever is missing is named. */
export const verifyResult = async (
  run: RestoreRun,
  { losses, warnings }: StoredPlan,
  idMap: IdMap,
): Promise<RestoreEnd> => {
  const { components } = run.restore;
  const [snapshot, actual, failures] = await Promise.all([
    run.readSnapshot(),
    readGuild(run.guildId, run.guild, components),
    listFailures(run),
  ]);
  const differences = findDifferences(snapshot, actual, idMap, components, run.restore);
  const missing = new Set([
    ...failures,
    ...losses.map(describeLoss),
    ...differences.map(describeDifference),
  ]);
  return {
    status: missing.size === 0 ? 'completed' : 'partial',
    warnings: [...warnings, ...shorten([...missing])],
  };
};

const listFailures = async ({ dependencies, owner }: RestoreRun): Promise<string[]> => {
  const steps = await listSteps(dependencies.db, owner);
  return steps
    .filter(({ status }) => status === 'failed')
    .map(({ effect, type, name, error }) => `${type} ${name}: ${effect} failed: ${error}`);
};

const shorten = (messages: string[]): string[] =>
  messages.length <= maxMessages
    ? messages
    : [...messages.slice(0, maxMessages), `and ${messages.length - maxMessages} more`];
