import type { Role } from '../../platform/guild.ts';
import { namePermissions, permission, without } from '../../platform/permissions.ts';
import { byRank } from '../../platform/powers.ts';
import { planRoleOrder } from './plan-role-order.ts';
import { lookChanges, reachableRole } from './role-look.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft, Loss, Stage } from './step.ts';
import { fitUnderLimit } from './under-limit.ts';

const MAX_ROLES = 250;

export const roleKey = (oldId: string) => `role ${oldId}`;

/**
 * Roles that are there are edited, missing ones made without permissions, surplus ones deleted last
 * and never put to another use: whoever holds one must not find it turned into something else.
 */
export const planRoles = (scene: Scene): Part => {
  const losses: Loss[] = [];
  const edits = scene.wantedRoles.flatMap((wanted) => {
    const current = scene.roleMatch.get(wanted.id);
    return current ? planEdit(scene, wanted, current, losses) : [];
  });
  const { steps, left, overflow } = fitUnderLimit(
    planCreates(scene, losses),
    planDeletes(scene, losses),
    MAX_ROLES - scene.present.roles.length,
  );
  for (const { name } of overflow) {
    losses.push({ type: 'role', name, reason: 'the server is full of roles that cannot go' });
  }
  const made = steps.flatMap(({ action }) => (action.do === 'createRole' ? [action.oldId] : []));
  const deletedEarly = steps.flatMap(({ action }) =>
    action.do === 'deleteRole' ? [action.roleId] : [],
  );
  const grants = made.flatMap((oldId) => planGrant(scene, oldId));
  const order = planRoleOrder(scene, made, deletedEarly);
  return {
    steps: [...edits, ...steps, ...grants, ...order.steps, ...left],
    losses: [...losses, ...order.losses],
  };
};

const planEdit = (scene: Scene, wanted: Role, current: Role, losses: Loss[]): Draft[] => {
  // The bot's own role is what its owner gave it here.
  if (wanted.botId === scene.powers.userId || current.botId === scene.powers.userId) return [];
  const { features } = scene.present.settings;
  const { look, permissions, lost } = reachableRole(wanted, current, features, scene.powers);
  const isEveryone = current.id === scene.present.guildId;
  const final = isEveryone ? scene.everyone.final : permissions;
  const changes = current.isManaged || isEveryone ? {} : lookChanges(look, current);
  const now = BigInt(current.permissions);
  const isRight = final === now && Object.keys(changes).length === 0;
  if (!isRight && !scene.powers.reaches(current)) {
    const reason = 'it stands as high as the bot or higher, and so stays as it is';
    losses.push({ type: 'role', name: wanted.name, reason });
    return [];
  }
  const reasons = current.isManaged || isEveryone ? lost.filter(isAboutPermissions) : lost;
  for (const reason of reasons) losses.push({ type: 'role', name: wanted.name, reason });
  if (isEveryone) losses.push(...heldBackFromEveryone(scene, permissions));
  return isRight ? [] : editSteps(wanted, { now, final, changes, isEveryone });
};

const isAboutPermissions = (reason: string) => reason.includes('what it does not have');

const heldBackFromEveryone = ({ everyone }: Scene, reachable: bigint): Loss[] => {
  const heldBack = without(reachable, everyone.final);
  if (heldBack === 0n) return [];
  const reason = `it would open the private channels: ${namePermissions(heldBack)}`;
  return [{ type: 'role', name: '@everyone', reason }];
};

type Edit = { now: bigint; final: bigint; changes: object; isEveryone: boolean };

/** Tighten first, loosen last: one call for what does only one of both, two for what does both. */
const editSteps = (wanted: Role, { now, final, changes, isEveryone }: Edit): Draft[] => {
  const edit = (stage: Stage, permissions: bigint, more: object): Draft => ({
    key: `${stage} ${roleKey(wanted.id)}`,
    stage,
    after: [],
    action: {
      do: 'editRole',
      role: { backup: wanted.id },
      changes: { ...more, permissions: permissions.toString() },
    },
    type: 'role',
    name: wanted.name,
    effect: 'update',
  });
  const common = now & final;
  // Nothing can be hidden from an administrator: not before the old channels are gone.
  const finished = isEveryone ? without(final, without(permission.administrator, now)) : final;
  const isTightened = common !== now;
  const isOnlyTightened = isTightened && finished === common;
  const hasMore = finished !== common || (!isOnlyTightened && Object.keys(changes).length > 0);
  return [
    ...(isTightened ? [edit('tighten', common, isOnlyTightened ? changes : {})] : []),
    ...(hasMore ? [edit('finish', finished, changes)] : []),
    ...(finished === final ? [] : [edit('sweep', final, {})]),
  ];
};

const planCreates = (scene: Scene, losses: Loss[]): Draft[] => {
  const missing = scene.wantedRoles
    .filter(({ id }) => !scene.roleMatch.has(id) && id !== scene.desired.guildId)
    .sort(byRank)
    .reverse();
  return missing.flatMap((wanted) => {
    if (wanted.isManaged) {
      const reason = 'it belongs to a bot or an integration and comes back with it';
      losses.push({ type: 'role', name: wanted.name, reason });
      return [];
    }
    const { features } = scene.present.settings;
    const { look, lost } = reachableRole(wanted, undefined, features, scene.powers);
    for (const reason of lost) losses.push({ type: 'role', name: wanted.name, reason });
    return createStep(wanted, look);
  });
};

const createStep = (wanted: Role, look: Parameters<typeof lookChanges>[0]): Draft => ({
  key: roleKey(wanted.id),
  stage: 'roles',
  after: [],
  action: { do: 'createRole', oldId: wanted.id, wish: look },
  type: 'role',
  name: wanted.name,
  effect: 'create',
});

const planGrant = (scene: Scene, oldId: string): Draft[] => {
  const wanted = scene.wantedRoles.find(({ id }) => id === oldId);
  if (!wanted) return [];
  const { features } = scene.present.settings;
  const { permissions } = reachableRole(wanted, undefined, features, scene.powers);
  if (permissions === 0n) return [];
  return editSteps(wanted, { now: 0n, final: permissions, changes: {}, isEveryone: false });
};

/** The least of them go first where there is no room. */
const planDeletes = (scene: Scene, losses: Loss[]): Draft[] => {
  const { present, roleMatch } = scene;
  const kept = new Set([present.guildId, ...[...roleMatch.values()].map(({ id }) => id)]);
  const surplus = present.roles.filter(({ id, isManaged }) => !isManaged && !kept.has(id));
  return surplus.sort(byRank).flatMap((role): Draft[] => {
    const reason = reasonToKeep(scene, role);
    if (reason) losses.push({ type: 'role', name: role.name, reason });
    return reason ? [] : [deleteStep(role)];
  });
};

const reasonToKeep = ({ powers }: Scene, role: Role): string | undefined => {
  if (!powers.reaches(role)) return 'it is not in the backup, but too high for the bot to delete';
  return powers.holds(role.id) ? 'it is not in the backup, but the bot itself needs it' : undefined;
};

const deleteStep = (role: Role): Draft => ({
  key: `delete role ${role.id}`,
  stage: 'sweep',
  after: [],
  action: { do: 'deleteRole', roleId: role.id },
  type: 'role',
  name: role.name,
  effect: 'delete',
});
