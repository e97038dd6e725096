import { PlatformFailure } from '../../../platform/failures.ts';
import type { CurrentMember, GuildPlatform } from '../../../platform/port.ts';
import { isRoleRefusal } from '../rules.ts';
import type { CurrentGiving, Wish } from './map-roles.ts';

/**
 * Gives a member who is there what they lack, by one edit that takes nothing away: another nickname
 * stays. False where the platform does not let the bot.
 */
export const giveMissing = async (
  guild: GuildPlatform,
  member: CurrentMember,
  { roleIds, nick }: Wish,
  giving: Pick<CurrentGiving, 'canEdit'> | undefined,
): Promise<boolean> => {
  const missing = roleIds.filter((id) => !member.roleIds.includes(id));
  const isNickMissing = nick !== undefined && member.nick === null;
  if (missing.length === 0 && !isNickMissing) return true;
  if (!giving?.canEdit(member)) return false;
  const changes = {
    ...(isNickMissing && { nick }),
    ...(missing.length > 0 && { roleIds: [...member.roleIds, ...missing] }),
  };
  return guild.editMember(member.userId, changes).then(
    () => true,
    (error: unknown) => {
      if (isMemberGone(error)) return true;
      if (isRefusalOfRoles(error)) return false;
      throw error;
    },
  );
};

/** Undefined where the person has left since. */
export const findMember = (
  guild: GuildPlatform,
  platformId: string,
): Promise<CurrentMember | undefined> =>
  guild.readMember(platformId).catch((error: unknown) => {
    if (isMemberGone(error)) return undefined;
    throw error;
  });

export const isRefusalOfRoles = (error: unknown): boolean =>
  error instanceof PlatformFailure && isRoleRefusal(error.kind);

export const isMemberGone = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'unknownMember';
