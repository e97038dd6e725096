import type { IdMap } from '../plan/id-map.ts';
import { describeLoss } from '../plan/loss.ts';
import type { StoredPlan } from '../plan/step.ts';
import { subjectLabel } from '../plan/subject-label.ts';
import { closedToBots, listSteps, type StepRow } from '../queries/journal.ts';
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
  const [snapshot, actual, steps] = await Promise.all([
    run.readSnapshot(),
    readGuild(run.guildId, run.guild, components),
    listSteps(run.dependencies.db, run.owner),
  ]);
  const failures = describeFailures(steps);
  const isOnboardingClosed = steps.some(({ error }) => error === closedToBots);
  const differences = findDifferences(snapshot, actual, idMap, components, {
    ...run.restore,
    now: run.dependencies.clock.now(),
  }).filter(({ type }) => type !== 'onboarding' || !isOnboardingClosed);
  const missing = new Set([
    ...failures,
    ...losses.map(describeLoss),
    ...differences.map(describeDifference),
  ]);
  return {
    status: missing.size === 0 ? 'completed' : 'partial',
    warnings: [
      ...warnings,
      ...(isOnboardingClosed ? [onboardingWarning] : []),
      ...shorten([...missing]),
    ],
  };
};

const onboardingWarning =
  'The platform does not let a bot set the onboarding of this server: set it by hand, as the backup shows it.';

const describeFailures = (steps: StepRow[]): string[] =>
  steps
    .filter(({ status }) => status === 'failed')
    .map(({ effect, type, name, error }) => {
      const label = subjectLabel(type);
      return `${label} ${name}: ${effect} failed: ${error}`;
    });

const shorten = (messages: string[]): string[] =>
  messages.length <= maxMessages
    ? messages
    : [...messages.slice(0, maxMessages), `and ${messages.length - maxMessages} more`];
