import { isDeepStrictEqual } from 'node:util';
import type { GuildMember, Role } from '../../../platform/guild.ts';
import { includes, permission } from '../../../platform/permissions.ts';
import type { ActionOf } from './action.ts';
import type { LossReason } from './loss.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';

/** Bans of the backup come back. Bans that came after it are lifted, but stay in a repair. */
export const planBans = (context: PlanContext): DraftStep[] => {
  const { snapshot, current } = context;
  if (!current.bans) {
    context.lose('ban', 'all', { code: 'bansNotReadable' });
    return [];
  }
  const saved = snapshot.bans ?? [];
  const savedIds = new Set(saved.map(({ userId }) => userId));
  const currentIds = new Set(current.bans.map(({ userId }) => userId));
  const members = membersById(context);
  const bans = saved
    .filter(({ userId }) => !currentIds.has(userId))
    .flatMap(({ userId, reason }) => {
      const obstacle = reasonAgainstBan(context, userId, members.get(userId));
      if (obstacle) context.lose('ban', userId, obstacle);
      return obstacle ? [] : [banStep({ do: 'ban', userId, reason })];
    });
  const lifted = (context.liftsBans ? [...currentIds] : [])
    .filter((userId) => !savedIds.has(userId))
    .map((userId) => banStep({ do: 'unban', userId }));
  return [...bans, ...lifted];
};

export const membersById = ({ current }: PlanContext): Map<string, GuildMember> =>
  new Map((current.members ?? []).map((member) => [member.userId, member]));

const banStep = (action: DraftStep['action'] & { userId: string }): DraftStep =>
  draftStep({ key: `ban ${action.userId}`, stage: 'build', name: action.userId, action });

const reasonAgainstBan = (
  context: PlanContext,
  userId: string,
  member: GuildMember | undefined,
): LossReason | undefined => {
  if (userId === context.current.ownerId) return { code: 'ownerNotBannable' };
  if (userId === context.bot.userId) return { code: 'botNotBannable' };
  return member && !reachesMember(context, member) ? { code: 'memberAboveBot' } : undefined;
};

/**
 * Roles and nicknames of the people who are in the target. Roles that nobody can give, or that stand
 * above the bot, stay with their holders, and so do roles that the backup does not know and that are not
 * deleted. Surplus roles need no call, since they are deleted anyway.
 */
export const planMembers = (context: PlanContext): DraftStep[] => {
  if (!context.current.members) {
    context.lose('member', 'roles and nicknames', { code: 'membersNotReadable' });
    return [];
  }
  const members = membersById(context);
  const roleSets = sortRoles(context);
  const steps = (context.snapshot.memberRoles ?? []).flatMap((saved) => {
    const { userId, nick } = saved;
    const current = members.get(userId);
    if (!current || userId === context.bot.userId) return [];
    const name = nameMember(saved);
    if (differsOutOfReach(context, roleSets, saved, current)) {
      context.lose('member', name, { code: 'memberRolesAboveBot' });
    }
    const changes = {
      ...memberChanges(context, roleSets, saved, current),
      ...timeOutChange(context, saved, current),
    };
    if (Object.keys(changes).length === 0) return [];
    if (!reachesMember(context, current)) {
      context.lose('member', name, { code: 'memberAboveBot' });
      return [];
    }
    const action = { do: 'editMember' as const, userId, ...changes };
    return [draftStep({ key: `member ${userId}`, stage: 'members', name: nick ?? userId, action })];
  });
  loseMissingRoles(context, members);
  return steps;
};

/** Every stored text about a person has their id, so that it is found when the person is erased. */
export const nameMember = ({ nick, userId }: GuildMember): string =>
  nick === null ? userId : `${nick} (${userId})`;

/** Where roles are not restored, roles of members that the target lacks cannot be given back. */
const loseMissingRoles = (context: PlanContext, members: Map<string, GuildMember>): void => {
  const { snapshot, savedRoles, roleMatch } = context;
  if (context.restores('roles')) return;
  const people = (snapshot.memberRoles ?? []).filter(({ userId }) => members.has(userId));
  const given = new Set(people.flatMap(({ roleIds }) => roleIds));
  for (const { id, name, isManaged } of savedRoles) {
    const isMissing = given.has(id) && !isManaged && !roleMatch.has(id);
    if (isMissing) context.lose('role', name, { code: 'roleOfMembersMissing' });
  }
};

type RoleSets = {
  /** Roles of the backup that the bot can give. */
  givable: Set<string>;
  /** Roles of the target that the bot can neither give nor take. */
  fixed: Set<string>;
  /** Those of the fixed that are not managed: a member may have them or not. */
  outOfReach: Set<string>;
  /** Roles of the target that the restore deletes. */
  surplus: Set<string>;
  /** Roles of the target that the backup does not know, and that stay. */
  unknown: Set<string>;
};

const sortRoles = (context: PlanContext): RoleSets => {
  const { current, bot, roleMatch, savedRoles, restores, isRepair, deletesExtra } = context;
  const deletesRoles = restores('roles') && deletesExtra;
  const isFixed = (role: Role) => role.isManaged || !bot.reaches(role);
  const matched = new Set([...roleMatch.values()].map(({ id }) => id));
  const idsOf = (roles: Role[]) => new Set(roles.map(({ id }) => id));
  // In a repair a role that the backup does not know is nobody's loss.
  const isCounted = ({ id }: Role) => !isRepair || matched.has(id);
  return {
    givable: idsOf(
      savedRoles.filter((saved) => {
        const match = roleMatch.get(saved.id);
        return match ? !isFixed(match) : !saved.isManaged && restores('roles');
      }),
    ),
    fixed: idsOf(current.roles.filter(isFixed)),
    outOfReach: idsOf(
      current.roles.filter((role) => isFixed(role) && !role.isManaged && isCounted(role)),
    ),
    surplus: idsOf(
      current.roles.filter((role) => deletesRoles && !isFixed(role) && !matched.has(role.id)),
    ),
    unknown: idsOf(
      current.roles.filter((role) => isRepair && !deletesRoles && !matched.has(role.id)),
    ),
  };
};

const differsOutOfReach = (
  { roleMatch }: PlanContext,
  { outOfReach }: RoleSets,
  saved: GuildMember,
  current: GuildMember,
): boolean => {
  const savedIds = saved.roleIds.flatMap((id) => roleMatch.get(id)?.id ?? []);
  const among = (ids: string[]) => new Set(ids.filter((id) => outOfReach.has(id)));
  return !isDeepStrictEqual(among(savedIds), among(current.roleIds));
};

type MemberChanges = Omit<ActionOf<'editMember'>, 'do' | 'userId'>;

const memberChanges = (
  { roleMatch }: PlanContext,
  { givable, fixed, surplus, unknown }: RoleSets,
  saved: GuildMember,
  current: GuildMember,
): MemberChanges => {
  const given = saved.roleIds.filter((id) => givable.has(id));
  const staying = current.roleIds.filter((id) => fixed.has(id) || unknown.has(id));
  const expected = given.map((id) => roleMatch.get(id)?.id ?? `new ${id}`);
  const counted = current.roleIds.filter((id) => !surplus.has(id));
  const isSame = isDeepStrictEqual(new Set([...expected, ...staying]), new Set(counted));
  const roles = [
    ...given.map((backup) => ({ backup })),
    ...staying.map((present) => ({ present })),
  ];
  return {
    ...(saved.nick === current.nick ? {} : { nick: saved.nick }),
    ...(isSame ? {} : { roles }),
  };
};

/** Null where there is none, or it is over. */
export const timeOutOf = ({ timedOutUntil }: GuildMember, now = new Date()): string | null => {
  const until = new Date(timedOutUntil ?? 0);
  return until > now ? until.toISOString() : null;
};

/** Only an undo says anything about it. */
const timeOutChange = (
  { bot, lose }: PlanContext,
  saved: GuildMember,
  current: GuildMember,
): Pick<MemberChanges, 'timedOutUntil'> => {
  if (saved.timedOutUntil === undefined || timeOutOf(saved) === timeOutOf(current)) return {};
  if (includes(bot.permissions, permission.moderateMembers)) {
    return { timedOutUntil: timeOutOf(saved) };
  }
  lose('member', nameMember(saved), { code: 'timeOutNotChangeable' });
  return {};
};

/** The platform lets nobody edit the owner, nor a member who stands as high as themselves. */
const reachesMember = ({ current, bot }: PlanContext, member: GuildMember): boolean =>
  member.userId !== current.ownerId &&
  current.roles.every((role) => !member.roleIds.includes(role.id) || bot.reaches(role));
