import { PlatformFailure } from '../../../platform/failures.ts';
import type { Action, Ref } from '../plan/action.ts';
import { resolveRef } from '../plan/id-map.ts';
import type { JournalRun } from './journal-run.ts';
import type { StepFailure } from './step-failure.ts';

type Kept = { kept: Action; failure?: StepFailure };

/**
 * Somebody who was stopped gets neither what was taken from them nor power by a backup, as long as the incident
 * is not over: decided when the call is made, since they may have been stopped meanwhile. A repair undoes
 * only what attackers did.
 */
export const withholdTaken = async (journal: JournalRun, action: Action): Promise<Kept> => {
  const { run, plan, idMap } = journal;
  if (action.do !== 'editMember' || !action.roles || run.restore.undo) return { kept: action };
  const { taken } = await run.findHeld(action.userId);
  if (!taken) return { kept: action };
  const has = await rolesNow(journal, action.userId);
  const idOf = (ref: Ref) => resolveRef(idMap.roles, ref) ?? '';
  const missing = action.roles.filter((ref) => !has.includes(idOf(ref)));
  // A role that this restore has made has no permissions yet.
  const isTaken = (ref: Ref) =>
    !plan.idsBefore.includes(idOf(ref)) || ('backup' in ref && taken.includes(ref.backup));
  const verdict = await run.judgeRoles(missing.map(idOf), [
    ...taken,
    ...missing.filter(isTaken).map(idOf),
  ]);
  if (verdict.taken.length === 0) return { kept: action };
  const withheld = new Set(verdict.taken.map(({ roleId }) => roleId));
  return {
    kept: { ...action, roles: action.roles.filter((ref) => !withheld.has(idOf(ref))) },
    failure: { code: 'rolesTaken', roles: verdict.taken.map(({ name }) => name) },
  };
};

const rolesNow = ({ run }: JournalRun, userId: string): Promise<readonly string[]> =>
  run.guild.readMember(userId).then(
    ({ roleIds }) => roleIds,
    (error: unknown) => {
      // Then the call has nobody to give anything to.
      if (error instanceof PlatformFailure && error.kind === 'unknownMember') return [];
      throw error;
    },
  );
