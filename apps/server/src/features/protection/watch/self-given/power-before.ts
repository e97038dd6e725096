import type { AuditLogEntry } from '../../../../platform/gateway/events.ts';
import { permission } from '../../../../platform/permissions.ts';
import { bitsOf, roleIdsOf } from '../classify.ts';

/** With one of these somebody can give roles to themselves. */
const givesRoles = permission.administrator | permission.manageRoles;

const mayGive = (bits: bigint): boolean => (bits & givesRoles) !== 0n;

/** The permissions of each role, by its id. */
type Roles = ReadonlyMap<string, string>;

/** Whether roles with these let their holder give roles; of a role that is not known nobody can say. */
export const mayGiveRoles = (roleIds: readonly string[], roles: Roles): boolean =>
  roleIds.some((id) => {
    const permissions = roles.get(id);
    return permissions === undefined || mayGive(BigInt(permissions));
  });

type Evidence = {
  platformId: string;
  /** What they have now. */
  roleIds: readonly string[];
  /** The entry by which they gave themselves roles, and all of the audit log since, the oldest first. */
  since: readonly AuditLogEntry[];
  guild: { guildId: string; roles: Roles };
};

/**
 * Whether somebody may have had the power to give roles before an entry: by what they have now, with every
 * change of their roles since taken back. A role counts with all that it may have been able to do since,
 * and where one that gives power was deleted, nobody can say who had it.
 */
export const mayHaveGiven = ({ platformId, roleIds, since, guild }: Evidence): boolean => {
  const own = since.filter(
    ({ action, targetId }) => action === 'memberRolesChanged' && targetId === platformId,
  );
  const before = own.toReversed().reduce<readonly string[]>((held, entry) => {
    const given = roleIdsOf(entry, '$add');
    return [...held.filter((id) => !given.includes(id)), ...roleIdsOf(entry, '$remove')];
  }, roleIds);
  const held = new Set([guild.guildId, ...before]);
  return mayGiveRoles([...held], guild.roles) || since.some((entry) => tookPower(entry, held));
};

const tookPower = (
  { action, targetId, changes }: AuditLogEntry,
  held: ReadonlySet<string>,
): boolean => {
  const permissions = changes.find(({ key }) => key === 'permissions');
  const bits = bitsOf(permissions?.before) | bitsOf(permissions?.after);
  if (action === 'roleDeleted') return !permissions || mayGive(bits);
  return action === 'roleChanged' && targetId !== null && held.has(targetId) && mayGive(bits);
};
