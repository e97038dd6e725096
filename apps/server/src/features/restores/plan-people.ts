import { isDeepStrictEqual } from 'node:util';
import type { GuildMember, Role } from '../../platform/guild.ts';
import type { Ref } from './action.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft, Loss } from './step.ts';

/** Bans of the backup come back, bans that came after it are lifted. */
export const planBans = (scene: Scene): Part => {
  const losses: Loss[] = [];
  const wanted = scene.desired.bans ?? [];
  const now = new Set((scene.present.bans ?? []).map(({ userId }) => userId));
  const kept = new Set(wanted.map(({ userId }) => userId));
  const members = new Map((scene.present.members ?? []).map((one) => [one.userId, one]));
  const bans = wanted
    .filter(({ userId }) => !now.has(userId))
    .flatMap(({ userId, reason }): Draft[] => {
      const why = reasonAgainstBan(scene, userId, members.get(userId));
      if (why) losses.push({ type: 'ban', name: userId, reason: why });
      return why ? [] : [banStep(userId, { do: 'ban', userId, reason }, 'create')];
    });
  const lifted = [...now]
    .filter((userId) => !kept.has(userId))
    .map((userId) => banStep(userId, { do: 'unban', userId }, 'delete'));
  return { steps: [...bans, ...lifted], losses };
};

const banStep = (userId: string, action: Draft['action'], effect: Draft['effect']): Draft => ({
  key: `ban ${userId}`,
  stage: 'build',
  after: [],
  action,
  type: 'ban',
  name: userId,
  effect,
});

const reasonAgainstBan = (
  scene: Scene,
  userId: string,
  member: GuildMember | undefined,
): string | undefined => {
  if (userId === scene.present.ownerId) return 'the owner of this server cannot be banned';
  if (userId === scene.powers.userId) return 'the bot does not ban itself';
  return member && !reachesMember(scene, member) ? 'they stand above the bot here' : undefined;
};

/**
 * Roles and nicknames of the people who are here. Roles that nobody can give, or that stand above the
 * bot, stay with those who have them; surplus ones need no call, since they are deleted anyway.
 */
export const planMembers = (scene: Scene): Part => {
  const losses: Loss[] = [];
  const here = new Map((scene.present.members ?? []).map((member) => [member.userId, member]));
  const standing = standingOfRoles(scene);
  const steps = (scene.desired.memberRoles ?? []).flatMap((wanted): Draft[] => {
    const current = here.get(wanted.userId);
    if (!current || wanted.userId === scene.powers.userId) return [];
    const name = wanted.nick ?? wanted.userId;
    const person = nameMember(wanted);
    if (differsOutOfReach(scene, standing, wanted, current)) {
      losses.push({
        type: 'member',
        name: person,
        reason: 'some of their roles stand above the bot here',
      });
    }
    const changes = memberChanges(scene, standing, wanted, current);
    if (Object.keys(changes).length === 0) return [];
    if (!reachesMember(scene, current)) {
      losses.push({ type: 'member', name: person, reason: 'they stand above the bot here' });
      return [];
    }
    const action = { do: 'editMember' as const, userId: wanted.userId, ...changes };
    const key = `member ${wanted.userId}`;
    return [{ key, stage: 'finish', after: [], action, type: 'member', name, effect: 'update' }];
  });
  return { steps, losses: [...losses, ...rolesNotHere(scene, here)] };
};

/** With the id in every sentence that is kept, so that it can be found when the person is erased. */
export const nameMember = ({ nick, userId }: GuildMember): string =>
  nick === null ? userId : `${nick} (${userId})`;

/** Where roles are not restored, what people had and this server has not cannot be given back. */
const rolesNotHere = (scene: Scene, here: Map<string, GuildMember>): Loss[] => {
  if (scene.restores('roles')) return [];
  const people = (scene.desired.memberRoles ?? []).filter(({ userId }) => here.has(userId));
  const held = new Set(people.flatMap(({ roleIds }) => roleIds));
  return scene.wantedRoles
    .filter(({ id, isManaged }) => held.has(id) && !isManaged && !scene.roleMatch.has(id))
    .map(({ name }) => ({
      type: 'role',
      name,
      reason: 'members had it, but this server does not have it',
    }));
};

/** Which of the backup's roles can be given; which of the target's cannot be taken, or will be gone. */
type Standing = {
  givable: Set<string>;
  fixed: Set<string>;
  /** Those of the fixed that people may hold or not, but that the bot cannot give or take. */
  outOfReach: Set<string>;
  surplus: Set<string>;
};

const standingOfRoles = ({
  present,
  powers,
  roleMatch,
  wantedRoles,
  restores,
}: Scene): Standing => {
  const isFixed = (role: Role) => role.isManaged || !powers.reaches(role);
  const matched = new Set([...roleMatch.values()].map(({ id }) => id));
  const idsOf = (roles: Role[]) => new Set(roles.map(({ id }) => id));
  return {
    givable: idsOf(
      wantedRoles.filter((wanted) => {
        const current = roleMatch.get(wanted.id);
        return current ? !isFixed(current) : !wanted.isManaged && restores('roles');
      }),
    ),
    fixed: idsOf(present.roles.filter(isFixed)),
    outOfReach: idsOf(present.roles.filter((role) => isFixed(role) && !role.isManaged)),
    surplus: idsOf(
      present.roles.filter((role) => restores('roles') && !isFixed(role) && !matched.has(role.id)),
    ),
  };
};

const differsOutOfReach = (
  { roleMatch }: Scene,
  { outOfReach }: Standing,
  wanted: GuildMember,
  current: GuildMember,
): boolean => {
  const wantedIds = wanted.roleIds.flatMap((id) => roleMatch.get(id)?.id ?? []);
  const among = (ids: string[]) => new Set(ids.filter((id) => outOfReach.has(id)));
  return !isDeepStrictEqual(among(wantedIds), among(current.roleIds));
};

const memberChanges = (
  { roleMatch }: Scene,
  { givable, fixed, surplus }: Standing,
  wanted: GuildMember,
  current: GuildMember,
): { nick?: string | null; roles?: Ref[] } => {
  const given = wanted.roleIds.filter((id) => givable.has(id));
  const staying = current.roleIds.filter((id) => fixed.has(id));
  const expected = given.map((id) => roleMatch.get(id)?.id ?? `new ${id}`);
  const counted = current.roleIds.filter((id) => !surplus.has(id));
  const isSame = isDeepStrictEqual(new Set([...expected, ...staying]), new Set(counted));
  const roles = [
    ...given.map((backup) => ({ backup })),
    ...staying.map((present) => ({ present })),
  ];
  return {
    ...(wanted.nick === current.nick ? {} : { nick: wanted.nick }),
    ...(isSame ? {} : { roles }),
  };
};

/** Nobody edits the owner, nor somebody who stands as high as themselves. */
const reachesMember = ({ present, powers }: Scene, member: GuildMember): boolean =>
  member.userId !== present.ownerId &&
  present.roles.every((role) => !member.roleIds.includes(role.id) || powers.reaches(role));
