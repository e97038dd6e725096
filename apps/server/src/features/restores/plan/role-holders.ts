import type { Channel, Role } from '../../../platform/guild.ts';
import type { Onboarding } from '../../../platform/guild-parts.ts';
import {
  dangerous,
  includes,
  permission,
  powerIn,
  without,
} from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { GuildState } from './step.ts';

type RoleHolders = Pick<GuildState, 'members' | 'ownerId' | 'roles'> & {
  /** The roles that people had in the backup, by their ids there. */
  had: ReadonlyMap<string, readonly string[]>;
  /** From the id of a role in the target to its id in the backup. */
  oldIds: ReadonlyMap<string, string>;
  openRoles: readonly string[] | undefined;
};

/**
 * The power that everybody has who has a role now and had not in the backup: all of it where there is nobody.
 * Of what newcomers get by themselves, and where members or invites cannot be read, nobody knows who has it.
 */
export const findLeastOfOthers = ({
  members,
  ownerId,
  roles,
  had,
  oldIds,
  openRoles,
}: RoleHolders) => {
  const powers = new Map(roles.map(({ id, permissions }) => [id, powerIn(BigInt(permissions))]));
  const least = new Map<string, bigint>();
  const denials = new Map<string, bigint>();
  const deniedIn = ({ id, overwrites }: Channel): bigint => {
    const known = denials.get(id);
    const denied = known ?? overwrites.reduce((all, { deny }) => all | BigInt(deny), 0n);
    denials.set(id, denied);
    return denied;
  };
  for (const { userId, roleIds } of members ?? []) {
    // No role gives the owner of the guild anything.
    if (userId === ownerId) continue;
    const power = roleIds.reduce((all, id) => all | (powers.get(id) ?? 0n), 0n);
    const others = roleIds.filter((id) => !had.get(userId)?.includes(oldIds.get(id) ?? ''));
    for (const id of others) least.set(id, (least.get(id) ?? dangerous) & power);
  }
  /** In a channel they lack what is denied in it, to whomever. */
  return ({ id, isManaged, botId, isLinked }: Role, there?: Channel): bigint => {
    // A bot's own role has one holder; of an integration's nobody knows who gets it next.
    const isAnybodys = (isManaged && botId === null) || isLinked || openRoles?.includes(id);
    if (!members || !openRoles || isAnybodys) return 0n;
    const power = least.get(id) ?? dangerous;
    if (!there || !least.has(id) || includes(power, permission.administrator)) return power;
    return without(power, deniedIn(there));
  };
};

/** Of a backup of the guild itself; of another nobody had anything here. */
export const rolesHadIn = (
  { guildId, memberRoles }: Snapshot,
  inGuildId: string,
): RoleHolders['had'] =>
  new Map(guildId === inGuildId ? memberRoles?.map((one) => [one.userId, one.roleIds]) : []);

/** Those that newcomers give themselves. */
export const rolesOfOnboarding = ({ isEnabled, prompts }: Onboarding): string[] =>
  isEnabled ? prompts.flatMap(({ options }) => options.flatMap(({ roleIds }) => roleIds)) : [];
