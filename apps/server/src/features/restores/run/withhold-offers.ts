import type { Action } from '../plan/action.ts';
import { offeringOnly, rolesOffered } from '../plan/parts/offered-roles.ts';
import type { JournalRun } from './journal-run.ts';
import type { StepFailure } from './step-failure.ts';

/**
 * Newcomers give themselves what the onboarding offers. So it is judged right before it is set: a role that
 * gives power by now is offered only if it is offered already, or a person with a second factor restores it.
 */
export const withholdOffers = async (
  { run, idMap, steps }: JournalRun,
  action: Action,
): Promise<{ action: Action; failure?: StepFailure }> => {
  if (action.do !== 'setOnboarding') return { action };
  if (run.restore.askedBy?.mayGivePower && !run.restore.undo) return { action };
  const roleIn = (oldId: string) => idMap.roles[oldId] ?? '';
  const isPaused = steps.some(({ action: other }) => other.do === 'pauseOnboarding');
  const live = await run.guild.readOnboarding();
  const offered = new Set(live.isEnabled || isPaused ? rolesOffered(live) : []);
  const { withheld } = await run.judgeRoles(
    rolesOffered(action.wish)
      .map(roleIn)
      .filter((id) => id !== '' && !offered.has(id))
      .map((roleId) => ({ roleId })),
    { notOlderThanMs: 0 },
  );
  if (withheld.length === 0) return { action };
  const ids = new Set(withheld.map(({ roleId }) => roleId));
  const wish = offeringOnly(action.wish, (oldId) => !ids.has(roleIn(oldId)));
  const roles = withheld.map(({ name }) => name);
  return { action: { ...action, wish }, failure: { code: 'powerNotOffered', roles } };
};
