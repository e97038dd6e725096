import type { Role } from '../../platform/guild.ts';
import { byRank } from '../../platform/powers.ts';
import type { Ref } from './action.ts';
import type { Part, Scene } from './scene.ts';
import type { Loss } from './step.ts';

/**
 * All roles below the bot in one call, lowest first: surplus ones at the bottom, then the backup's in
 * its order. A bot's or integration's role that the backup does not know stays above what it stands
 * above now, so that no other bot gains by the restore.
 */
export const planRoleOrder = (scene: Scene, made: string[], deleted: string[]): Part => {
  const order = wantedOrder(scene, made, deleted);
  const losses = rolesHeldDown(scene, order);
  if (made.length === 0 && isInOrder(scene, order)) return { steps: [], losses };
  return {
    steps: [
      {
        key: 'order of roles',
        stage: 'finish',
        after: [],
        action: { do: 'placeRoles', order },
        type: 'role',
        name: 'the order of the roles',
        effect: 'update',
      },
    ],
    losses,
  };
};

/** What the bot cannot reach stays on top, in its own order, whatever stood higher in the backup. */
const rolesHeldDown = ({ wantedRoles, roleMatch, powers }: Scene, order: Ref[]): Loss[] => {
  const placed = new Set(order.flatMap((ref) => ('backup' in ref ? [ref.backup] : [])));
  const unmanaged = wantedRoles.filter(({ isManaged }) => !isManaged);
  const fixed = unmanaged.flatMap((wanted) => {
    const now = roleMatch.get(wanted.id);
    return now && !powers.reaches(now) ? [{ wanted, now }] : [];
  });
  const isHeldDown = (role: Role): boolean => {
    const now = fixed.find(({ wanted }) => wanted.id === role.id)?.now;
    const stoodBelow = fixed.filter(({ wanted }) => byRank(role, wanted) > 0);
    return now
      ? stoodBelow.some((other) => byRank(now, other.now) < 0)
      : placed.has(role.id) && stoodBelow.length > 0;
  };
  return unmanaged.filter(isHeldDown).map(({ name }) => ({
    type: 'role',
    name,
    reason: 'it stood above roles that the bot cannot move, and now stands below them',
  }));
};

const wantedOrder = (scene: Scene, made: string[], deleted: string[]): Ref[] => {
  const { present, powers, roleMatch, wantedRoles, desired } = scene;
  const matched = new Set([...roleMatch.values()].map(({ id }) => id));
  const movable = present.roles.filter(
    (role) => role.id !== present.guildId && !deleted.includes(role.id) && powers.reaches(role),
  );
  const canMove = new Set(movable.map(({ id }) => id));
  const order: Ref[] = [...wantedRoles].sort(byRank).flatMap((wanted): Ref[] => {
    const current = roleMatch.get(wanted.id);
    const isThere = current ? canMove.has(current.id) : made.includes(wanted.id);
    return isThere && wanted.id !== desired.guildId ? [{ backup: wanted.id }] : [];
  });
  const strangers = movable.filter(({ id }) => !matched.has(id)).sort(byRank);
  for (const role of strangers.filter(({ isManaged }) => isManaged)) {
    order.splice(placeOf(scene, order, role), 0, { present: role.id });
  }
  const surplus = strangers.filter(({ isManaged }) => !isManaged);
  return [...surplus.map(({ id }) => ({ present: id })), ...order];
};

/** Right above the highest of those that are below it now and stay. */
const placeOf = ({ roleMatch, present }: Scene, order: Ref[], role: Role): number => {
  const presentIdOf = (ref: Ref) =>
    'present' in ref ? ref.present : roleMatch.get(ref.backup)?.id;
  const below = present.roles
    .filter((other) => byRank(other, role) < 0)
    .sort(byRank)
    .reverse();
  for (const { id } of below) {
    const index = order.findIndex((ref) => presentIdOf(ref) === id);
    if (index >= 0) return index + 1;
  }
  return 0;
};

/** Surplus roles among the others do no harm: only the order of those that stay counts. */
const isInOrder = ({ roleMatch, present }: Scene, order: Ref[]): boolean => {
  const ranked = order.flatMap((ref) => {
    const id = 'present' in ref ? undefined : roleMatch.get(ref.backup)?.id;
    const role = present.roles.find((one) => one.id === id);
    return role ? [role] : [];
  });
  return ranked.every((role, index) => {
    const next = ranked[index + 1];
    return !next || byRank(role, next) < 0;
  });
};
