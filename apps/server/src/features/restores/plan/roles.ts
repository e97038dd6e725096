import type { RestoreStage } from '@holdfast/contract';
import type { Role } from '../../../platform/guild.ts';
import { compareRank, permission, without } from '../../../platform/permissions.ts';
import { fitUnderLimit } from './fit-under-limit.ts';
import type { PlanContext } from './plan-context.ts';
import { appearanceChanges, reachableRole } from './role-appearance.ts';
import { planRoleOrder } from './role-order.ts';
import { type DraftStep, draftStep } from './step.ts';

const MAX_ROLES = 250;

/**
 * Roles that are there are edited, missing ones created without permissions, surplus ones deleted last.
 * A surplus role is never used for another one: its holders would get what they were not given.
 */
export const planRoles = (context: PlanContext): DraftStep[] => {
  const edits = context.savedRoles.flatMap((saved) => {
    const current = context.roleMatch.get(saved.id);
    return current ? planEdit(context, saved, current) : [];
  });
  const { steps, left, overflow } = fitUnderLimit(
    planCreates(context),
    context.deletesExtra ? planDeletes(context) : [],
    MAX_ROLES - context.current.roles.length,
  );
  for (const { name } of overflow) {
    context.lose('role', name, { code: 'guildFull', of: 'roles' });
  }
  const createdIds = steps.flatMap(({ action }) =>
    action.do === 'createRole' ? [action.oldId] : [],
  );
  const deletedEarly = steps.flatMap(({ action }) =>
    action.do === 'deleteRole' ? [action.roleId] : [],
  );
  const grants = createdIds.flatMap((oldId) => planGrant(context, oldId));
  const order = planRoleOrder(context, createdIds, deletedEarly);
  return [...edits, ...steps, ...grants, ...order, ...left];
};

const planEdit = (context: PlanContext, saved: Role, current: Role): DraftStep[] => {
  const { bot, everyone } = context;
  // The bot's own role stays as the guild's owner set it here.
  if (saved.botId === bot.userId || current.botId === bot.userId) return [];
  const { features } = context.current.settings;
  const { appearance, permissions, lost } = reachableRole(saved, current, features, bot);
  const isEveryone = current.id === context.current.guildId;
  const hasOnlyPermissions = current.isManaged || isEveryone;
  const final = isEveryone ? everyone.final : permissions;
  const changes = hasOnlyPermissions ? {} : appearanceChanges(appearance, current);
  const now = BigInt(current.permissions);
  const isRight = final === now && Object.keys(changes).length === 0;
  if (!isRight && !bot.reaches(current)) {
    context.lose('role', saved.name, { code: 'roleAboveBot' });
    return [];
  }
  for (const reason of lost) {
    if (hasOnlyPermissions && reason.code !== 'permissionsNotGivable') continue;
    context.lose('role', saved.name, reason);
  }
  const withheld = isEveryone ? without(permissions, final) : 0n;
  if (withheld !== 0n) {
    const reason = { code: 'wouldOpenPrivateChannels', permissions: withheld } as const;
    context.lose('role', '@everyone', reason);
  }
  return isRight ? [] : editSteps(saved, { now, final, changes, isEveryone });
};

type Edit = { now: bigint; final: bigint; changes: object; isEveryone: boolean };

/** Permissions are taken away first and given last: one call where only one of both is needed. */
const editSteps = (saved: Role, { now, final, changes, isEveryone }: Edit): DraftStep[] => {
  const edit = (stage: RestoreStage, permissions: bigint, more: object) => {
    const isChanged = stage !== 'finish' || permissions !== now;
    const changes = isChanged ? { ...more, permissions: permissions.toString() } : more;
    return draftStep({
      key: `${stage} role ${saved.id}`,
      stage,
      name: saved.name,
      action: { do: 'editRole', role: { backup: saved.id }, changes },
    });
  };
  const common = now & final;
  // Nothing can be hidden from an administrator: not before the old channels are deleted.
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

const planCreates = (context: PlanContext): DraftStep[] => {
  const missing = context.savedRoles
    .filter(({ id }) => !context.roleMatch.has(id) && id !== context.snapshot.guildId)
    .sort(compareRank)
    .reverse();
  return missing.flatMap((saved) => {
    const { id: oldId, name, isManaged } = saved;
    if (isManaged) {
      context.notes.push({ code: 'managedRoleMissing', name });
      return [];
    }
    const { features } = context.current.settings;
    const { appearance, lost } = reachableRole(saved, undefined, features, context.bot);
    for (const reason of lost) context.lose('role', name, reason);
    const action = { do: 'createRole' as const, oldId, wish: appearance };
    return [draftStep({ key: `role ${oldId}`, stage: 'roles', name, action })];
  });
};

const planGrant = (context: PlanContext, oldId: string): DraftStep[] => {
  const saved = context.savedRoles.find(({ id }) => id === oldId);
  if (!saved) return [];
  const { features } = context.current.settings;
  const { permissions } = reachableRole(saved, undefined, features, context.bot);
  if (permissions === 0n) return [];
  return editSteps(saved, { now: 0n, final: permissions, changes: {}, isEveryone: false });
};

/** Lowest first: where there is no room, they are deleted in this order. */
const planDeletes = ({ current, roleMatch, bot, lose }: PlanContext): DraftStep[] => {
  const kept = new Set([current.guildId, ...[...roleMatch.values()].map(({ id }) => id)]);
  const surplus = current.roles.filter(({ id, isManaged }) => !isManaged && !kept.has(id));
  return surplus.sort(compareRank).flatMap((role) => {
    const { id: roleId, name } = role;
    if (!bot.reaches(role) || bot.holds(roleId)) {
      lose('role', name, { code: bot.reaches(role) ? 'roleNeededByBot' : 'roleTooHighToDelete' });
      return [];
    }
    const action = { do: 'deleteRole' as const, roleId };
    return [draftStep({ key: `delete role ${roleId}`, stage: 'sweep', name, action })];
  });
};
