import { PlatformFailure } from '../../../platform/failures.ts';
import type { CurrentMember, GuildPlatform } from '../../../platform/port.ts';
import type { askWhenSent } from '../../servers/power/judge-roles.ts';
import { isRoleRefusal } from '../rules.ts';
import type { CurrentGiving, Wish } from './map-roles.ts';

type Asking = ReturnType<typeof askWhenSent>;

/**
 * Gives a member who is there what they lack and may be given, by one edit that takes nothing away:
 * another nickname stays. Returns the roles that they have then; undefined where the platform does not let
 * the bot.
 */
export const giveMissing = async (
  guild: GuildPlatform,
  member: CurrentMember,
  { roleIds, nick }: Wish,
  giving: Pick<CurrentGiving, 'canEdit'> | undefined,
  asking: (roleIds: readonly string[]) => Asking,
): Promise<string[] | undefined> => {
  const missing = roleIds.filter((id) => !member.roleIds.includes(id));
  const isNickMissing = nick !== undefined && member.nick === null;
  if (missing.length === 0 && !isNickMissing) return member.roleIds;
  if (!giving?.canEdit(member)) return undefined;
  const { ask, verdict } = asking(missing);
  const given = { roleIds: ask, nick: isNickMissing ? nick : undefined };
  return guild.giveRoles(member, given).then(
    () => [...member.roleIds, ...verdict.givable],
    (error: unknown) => {
      if (isMemberGone(error) || isWithheld(error)) return member.roleIds;
      if (isRefusalOfRoles(error)) return undefined;
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

/** Nothing could be given any more when the call was to be sent. */
export const isWithheld = (error: unknown): boolean =>
  error instanceof PlatformFailure && error.kind === 'withheld';
