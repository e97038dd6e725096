import { dangerous, without } from '../../../platform/permissions.ts';
import { type Act, overwriteSides } from './atoms.ts';

/**
 * Who gives themselves a role, by the onboarding or linked accounts, while attackers have taken its power, would
 * get that by the repair. So it counts as the attackers' act, unless somebody else gives it to them later.
 */
export const withSelfGiven = (acts: readonly Act[]): readonly Act[] => {
  const tamed = new Set<string>();
  return acts.flatMap((act) => {
    const roleId = act.isAttack ? roleTamedBy(act) : undefined;
    if (roleId !== undefined) tamed.add(roleId);
    if (tamed.size === 0 || !act.isSelf || act.isAttack || act.isOtherAttack) return act;
    if (act.action !== 'memberRolesChanged') return act;
    const added = act.changes.filter(({ key }) => key === '$add');
    const theirs = added.map((one) => ({
      ...one,
      after: rolesIn(one.after, (id) => tamed.has(id)),
    }));
    if (theirs.every(({ after }) => after.length === 0)) return act;
    const others = act.changes.map((one) =>
      one.key === '$add' ? { ...one, after: rolesIn(one.after, (id) => !tamed.has(id)) } : one,
    );
    return [
      { ...act, changes: others },
      { ...act, changes: theirs, isAttack: true },
    ];
  });
};

const rolesIn = (value: unknown, isWanted: (id: string) => boolean) =>
  (Array.isArray(value) ? value : []).filter(
    (one: unknown) =>
      typeof one === 'object' &&
      one !== null &&
      'id' in one &&
      typeof one.id === 'string' &&
      isWanted(one.id),
  );

/** The role that has less power by the act, in the server or in a channel. */
const roleTamedBy = (act: Act): string | undefined => {
  const { action, targetId, subject, changes } = act;
  if (action === 'roleChanged' && targetId !== null) {
    const change = changes.find(({ key }) => key === 'permissions');
    return change && isLess(change.before, change.after) ? targetId : undefined;
  }
  if (subject?.kind !== 'role') return undefined;
  const allowed = overwriteSides(act).find(({ side }) => side === 'allow');
  return allowed && isLess(allowed.before, allowed.after) ? subject.id : undefined;
};

const isLess = (before: unknown, after: unknown): boolean =>
  (without(bitsOf(before), bitsOf(after)) & dangerous) !== 0n;

const bitsOf = (value: unknown): bigint =>
  typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : 0n;
