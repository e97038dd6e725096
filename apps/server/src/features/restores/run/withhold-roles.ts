import { PlatformFailure } from '../../../platform/failures.ts';
import { without } from '../../../platform/permissions.ts';
import type { RolePower } from '../../servers/power/read-powers.ts';
import type { Action, Ref } from '../plan/action.ts';
import { resolveRef } from '../plan/id-map.ts';
import type { KeepGivable } from './edit-member.ts';
import type { JournalRun } from './journal-run.ts';
import type { StepFailure } from './step-failure.ts';

/** `keep` is asked when the call is sent; `failure` says what its last answer left out. */
type Withholding = { keep?: KeepGivable; failure?: StepFailure };

/**
 * Which of a member's roles may be given. Somebody who was stopped gets neither what was taken from them nor
 * power, as long as the incident is not over. For others the plan has left out what gives power, but a role can
 * have got some since. What they have by now stays. A repair gives them whatever attackers took.
 */
export const withholdRoles = (journal: JournalRun, action: Action): Withholding => {
  if (action.do !== 'editMember' || !action.roles) return {};
  const { userId, roles } = action;
  const withholding: Withholding = {
    async keep(roleIds) {
      const { code, powers } = await judge(journal, userId, roles);
      const has = powers.length === 0 ? [] : await rolesNow(journal, userId);
      const withheld = powers.filter(({ roleId }) => !has.includes(roleId));
      const names = withheld.map(({ name }) => name);
      withholding.failure = names.length === 0 ? undefined : { code, roles: names };
      return roleIds.filter((id) => !withheld.some(({ roleId }) => roleId === id));
    },
  };
  return withholding;
};

type Judged = { code: 'rolesTaken' | 'powerNotGiven'; powers: RolePower[] };

const judge = async (
  journal: JournalRun,
  userId: string,
  roles: readonly Ref[],
): Promise<Judged> => {
  const { run, plan, idMap } = journal;
  const { taken, coming } = await run.findHeld(userId);
  const agreed = new Map<string, bigint>();
  const kept: string[] = [...(taken ?? [])];
  for (const ref of roles) {
    const roleId = resolveRef(idMap.roles, ref);
    if (roleId === undefined) continue;
    agreed.set(roleId, BigInt(('backup' in ref && plan.had?.[ref.backup]) || 0));
    // A role that this restore has made has no permissions yet.
    const isMade = !plan.idsBefore.includes(roleId);
    if (isMade || ('backup' in ref && taken?.includes(ref.backup))) kept.push(roleId);
  }
  const asked = [...agreed].map(([roleId, confirmed]) => ({ roleId, confirmed }));
  if (taken) {
    const verdict = await run.judgeRoles(asked, { taken: kept, coming, notOlderThanMs: 0 });
    return { code: 'rolesTaken', powers: verdict.taken };
  }
  const { undo, askedBy } = run.restore;
  // A person with a second factor gives any.
  if (undo || askedBy?.mayGivePower) return { code: 'powerNotGiven', powers: [] };
  const { withheld } = await run.judgeRoles([{ roleId: run.guildId }, ...asked], { coming });
  const ofEveryone = withheld.find(({ roleId }) => roleId === run.guildId)?.power ?? 0n;
  const isMore = ({ roleId, power }: RolePower) =>
    without(power, ofEveryone | (agreed.get(roleId) ?? 0n)) !== 0n;
  return { code: 'powerNotGiven', powers: withheld.filter(isMore) };
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
