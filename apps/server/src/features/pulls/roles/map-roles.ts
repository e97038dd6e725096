import type { DangerousPermission } from '@holdfast/contract';
import type { Channel, Role } from '../../../platform/guild.ts';
import {
  type BotPermissions,
  dangerous,
  dangerousNames,
  grantsOf,
  includes,
  neverMatchedByName,
  permission,
  powerIn,
  without,
} from '../../../platform/permissions.ts';
import type { CurrentMember } from '../../../platform/port.ts';

/** The roles of a backup that the pull's members had. The name is null where the backup has no roles. */
export type SavedRoles = {
  guildId: string;
  /** Whether any of them had a nickname. */
  hasNicknames: boolean;
  roles: {
    id: string;
    name: string | null;
    isManaged: boolean;
    /** The bits of the dangerous permissions that it gave; none where nobody has looked. */
    power?: string;
  }[];
};

/** What members do not get back. */
export type Unrestored = UnrestoredRole | { kind: 'nicknames' } | UngivenRole;

/** The pull's own role, which has become dangerous. */
type UngivenRole = {
  kind: 'ownRole';
  roleId: string;
  name: string;
  permissions: DangerousPermission[];
};

type UnrestoredRole = {
  kind: 'role';
  /** As in the backup. */
  roleId: string;
  name: string | null;
  reason:
    | 'missing'
    | 'ambiguous'
    | 'aboveBot'
    | 'dangerous'
    | 'dangerousSince'
    | 'dangerousNamesake'
    | 'notAllowed';
  /** Why it is dangerous. */
  permissions: DangerousPermission[];
};

type TargetGuild = { guildId: string; roles: Role[]; channels: Channel[] };

type MapInput = {
  saved: SavedRoles;
  target: TargetGuild;
  bot: BotPermissions;
  /** Roles of the backup that may be given although they are dangerous. */
  allowed: ReadonlySet<string>;
  /** The ids that restores gave to roles of the backup in the target. */
  restoredIds: Readonly<Record<string, string>>;
};

/** What one bot can give back in the target. */
type Giving = {
  /** From the id of a role in the backup to the role that is given for it. */
  roles: Map<string, string>;
  mayNickname: boolean;
  unrestored: Unrestored[];
};

/** What a bot can give back, as the target was when it was last read. */
export type CurrentGiving = Giving & {
  /** By the monotonic clock. */
  readAtMs: number;
  /** How many members in a row the platform refused it for. */
  refusals: number;
  bot: BotPermissions;
  /** Whether the platform lets the bot edit this member. */
  canEdit(member: CurrentMember): boolean;
};

/**
 * Which roles of the backup the bot gives back, by the target's present state: the same role, the one that
 * a restore made of it, or else the only one of the same name, if it has no dangerous permission. A role
 * that is dangerous, in the server or in a channel, is given only where the owner named it, and only as
 * far as it was so in the backup: nobody had more.
 */
export const mapRoles = (input: MapInput): Giving => {
  const roles = new Map<string, string>();
  const unrestored: Unrestored[] = [];
  for (const match of matchRoles(input)) {
    const { id: roleId, name } = match.saved;
    const verdict = judge(input, match);
    if ('given' in verdict) roles.set(roleId, verdict.given);
    else unrestored.push({ kind: 'role', roleId, name, ...verdict });
  }
  const mayNickname = includes(input.bot.permissions, permission.manageNicknames);
  if (input.saved.hasNicknames && !mayNickname) unrestored.push({ kind: 'nicknames' });
  return { roles, mayNickname, unrestored };
};

type SavedRole = SavedRoles['roles'][number];
type Match = { saved: SavedRole; found: Role | 'missing' | 'ambiguous'; isByName: boolean };

/** Managed roles are left out: nobody can give them, and whoever is entitled to one gets it anyway. */
const matchRoles = ({ saved, target, restoredIds }: MapInput): Match[] => {
  const givable = new Map(
    target.roles
      .filter(({ id, isManaged }) => !isManaged && id !== target.guildId)
      .map((role) => [role.id, role]),
  );
  const managed = new Set(target.roles.flatMap(({ id, isManaged }) => (isManaged ? [id] : [])));
  const findById = ({ id }: SavedRole) => givable.get(id) ?? givable.get(restoredIds[id] ?? '');
  const wanted = saved.roles.filter(
    ({ id, isManaged }) => !isManaged && !managed.has(id) && id !== saved.guildId,
  );
  const taken = new Set(wanted.flatMap((role) => findById(role)?.id ?? []));
  const free = [...givable.values()].filter(({ id }) => !taken.has(id));
  const nameless = wanted.filter((role) => !findById(role));
  return wanted.map((role) => {
    const same = findById(role);
    if (same) return { saved: role, found: same, isByName: false };
    return { saved: role, found: findNamesake(role, free, nameless), isByName: true };
  });
};

/** Only where no other role of that name is in question, on either side. */
const findNamesake = (
  { name }: SavedRole,
  free: Role[],
  nameless: SavedRole[],
): Role | 'missing' | 'ambiguous' => {
  const namesakes = name === null ? [] : free.filter((role) => role.name === name);
  const [only] = namesakes;
  if (!only) return 'missing';
  const rivals = nameless.filter((role) => role.name === name);
  return namesakes.length > 1 || rivals.length > 1 ? 'ambiguous' : only;
};

type Verdict = { given: string } | Pick<UnrestoredRole, 'reason' | 'permissions'>;

const judge = ({ target, bot, allowed }: MapInput, { saved, found, isByName }: Match): Verdict => {
  if (found === 'missing' || found === 'ambiguous') return { reason: found, permissions: [] };
  const granted = grantsOf(found, target.channels);
  const permissions = dangerousNames(granted & dangerous);
  // A name is no proof: whoever made that role may have given it anything.
  if (isByName && (granted & neverMatchedByName) !== 0n) {
    return { reason: 'dangerousNamesake', permissions };
  }
  const gained = dangerousNames(without(granted & dangerous, powerInBackup(saved)));
  if (gained.length > 0) return { reason: 'dangerousSince', permissions: gained };
  if (permissions.length > 0 && !allowed.has(saved.id)) return { reason: 'dangerous', permissions };
  if (!includes(bot.permissions, permission.manageRoles)) {
    return { reason: 'notAllowed', permissions: [] };
  }
  return bot.reaches(found) ? { given: found.id } : { reason: 'aboveBot', permissions: [] };
};

export const powerInBackup = ({ power = '0' }: SavedRole): bigint => powerIn(BigInt(power));

/** The platform's limit for one call. */
const mostRoles = 250;

export type Wish = { roleIds: string[]; nick: string | undefined };

/** What a member is to have in the target; the pull's own role is given whatever the backup says. */
export const wishFor = (
  { roles, mayNickname }: Pick<Giving, 'roles' | 'mayNickname'>,
  saved: { nick: string | null; roleIds: readonly string[] },
  roleId: string | null,
): Wish => {
  const given = saved.roleIds.flatMap((id) => roles.get(id) ?? []);
  const own = roleId === null ? [] : [roleId];
  return {
    roleIds: [...new Set([...own, ...given])].slice(0, mostRoles),
    nick: mayNickname ? (saved.nick ?? undefined) : undefined,
  };
};
