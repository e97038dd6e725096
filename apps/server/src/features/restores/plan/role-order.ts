import type { Role } from '../../../platform/guild.ts';
import { compareRank } from '../../../platform/permissions.ts';
import type { Ref } from './action.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';

/**
 * Places all roles below the bot in one call, lowest first: surplus ones that are deleted at the bottom,
 * then the backup's in its order. Any other role that the backup does not have stays above the roles it
 * stands above now, so that no other bot gains by the restore.
 */
export const planRoleOrder = (
  context: PlanContext,
  createdIds: string[],
  deletedIds: string[],
): DraftStep[] => {
  const order = orderRoles(context, createdIds, deletedIds);
  for (const { name } of findMovedDown(context, order)) {
    context.lose('role', name, { code: 'roleMovedDown' });
  }
  if (landsInOrder(context, createdIds) && isInOrder(context, order)) return [];
  const action = { do: 'placeRoles' as const, order };
  const name = 'the order of the roles';
  return [draftStep({ key: 'order of roles', stage: 'finish', name, action })];
};

/** Roles that the bot cannot reach stay on top, in their own order, whatever stood higher before. */
const findMovedDown = ({ savedRoles, roleMatch, bot }: PlanContext, order: Ref[]): Role[] => {
  const placed = new Set(order.flatMap((ref) => ('backup' in ref ? [ref.backup] : [])));
  const unmanaged = savedRoles.filter(({ isManaged }) => !isManaged);
  const fixed = unmanaged.flatMap((saved) => {
    const current = roleMatch.get(saved.id);
    return current && !bot.reaches(current) ? [{ saved, current }] : [];
  });
  const isMovedDown = (role: Role): boolean => {
    const current = fixed.find(({ saved }) => saved.id === role.id)?.current;
    const stoodBelow = fixed.filter(({ saved }) => compareRank(role, saved) > 0);
    return current
      ? stoodBelow.some((other) => compareRank(current, other.current) < 0)
      : placed.has(role.id) && stoodBelow.length > 0;
  };
  return unmanaged.filter(isMovedDown);
};

const orderRoles = (context: PlanContext, createdIds: string[], deletedIds: string[]): Ref[] => {
  const { current, bot, roleMatch, savedRoles, snapshot } = context;
  const matched = new Set([...roleMatch.values()].map(({ id }) => id));
  const movable = current.roles.filter(
    (role) => role.id !== current.guildId && !deletedIds.includes(role.id) && bot.reaches(role),
  );
  const movableIds = new Set(movable.map(({ id }) => id));
  const order: Ref[] = [...savedRoles].sort(compareRank).flatMap((saved): Ref[] => {
    const match = roleMatch.get(saved.id);
    const isThere = match ? movableIds.has(match.id) : createdIds.includes(saved.id);
    return isThere && saved.id !== snapshot.guildId ? [{ backup: saved.id }] : [];
  });
  const unmatched = movable.filter(({ id }) => !matched.has(id)).sort(compareRank);
  const isSurplus = ({ isManaged }: Role) => context.deletesExtra && !isManaged;
  for (const role of unmatched.filter((one) => !isSurplus(one))) {
    order.splice(indexFor(context, order, role), 0, { present: role.id });
  }
  return [...unmatched.filter(isSurplus).map(({ id }) => ({ present: id })), ...order];
};

/** Right above the highest of the roles that are below it now and stay. */
const indexFor = ({ roleMatch, current }: PlanContext, order: Ref[], role: Role): number => {
  const currentIdOf = (ref: Ref) =>
    'present' in ref ? ref.present : roleMatch.get(ref.backup)?.id;
  const below = current.roles
    .filter((other) => compareRank(other, role) < 0)
    .sort(compareRank)
    .reverse();
  for (const { id } of below) {
    const index = order.findIndex((ref) => currentIdOf(ref) === id);
    if (index >= 0) return index + 1;
  }
  return 0;
};

/** A new role stands below all others: a single one may be right there. */
const landsInOrder = (
  { isRepair, savedRoles, roleMatch, snapshot }: PlanContext,
  [createdId, ...others]: string[],
): boolean => {
  if (createdId === undefined) return true;
  if (!isRepair || others.length > 0) return false;
  const isThere = ({ id }: Role) => roleMatch.has(id) && id !== snapshot.guildId;
  const known = savedRoles.filter((role) => isThere(role) || role.id === createdId);
  return known.sort(compareRank)[0]?.id === createdId;
};

/** Surplus roles among the others do no harm: only the order of those that stay counts. */
const isInOrder = ({ roleMatch, current }: PlanContext, order: Ref[]): boolean => {
  const ranked = order.flatMap((ref) => {
    const id = 'present' in ref ? undefined : roleMatch.get(ref.backup)?.id;
    const role = current.roles.find((one) => one.id === id);
    return role ? [role] : [];
  });
  return ranked.every((role, index) => {
    const next = ranked[index + 1];
    return !next || compareRank(role, next) < 0;
  });
};
