import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { ActionOf } from '../plan/action.ts';
import { type IdMap, resolveRef } from '../plan/id-map.ts';
import { refusalOf, type StepFailure } from './step-failure.ts';

/** Those of the roles that the member may be given at this moment. */
export type KeepGivable = (roleIds: readonly string[]) => Promise<readonly string[]>;

type MemberContext = {
  guild: Pick<GuildPlatform, 'editMember'>;
  map: IdMap;
  keep?: KeepGivable | undefined;
};

/**
 * Roles and nickname first, and a time-out by a call of its own: the platform refuses one of an
 * administrator, and with it all that is in the same call. Both calls can be repeated.
 */
export const editMember = async (
  { guild, map, keep }: MemberContext,
  { userId, nick, timedOutUntil, roles }: ActionOf<'editMember'>,
): Promise<{ failure?: StepFailure }> => {
  const roleIds = roles?.flatMap((ref) => resolveRef(map.roles, ref) ?? []);
  const changes = {
    ...(nick === undefined ? {} : { nick }),
    ...(roleIds && { roleIds: keep ? () => keep(roleIds) : roleIds }),
  };
  const isMore = Object.keys(changes).length > 0;
  if (isMore) await guild.editMember(userId, changes);
  if (timedOutUntil === undefined) return {};
  try {
    await guild.editMember(userId, { timedOutUntil });
    return {};
  } catch (error) {
    if (!isMore || !isRefused(error)) throw error;
    const refused = { field: 'time-out', refusal: refusalOf(error) };
    return { failure: { code: 'fieldsRefused', fields: [refused] } };
  }
};

const isRefused = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure &&
  (error.kind === 'missingPermission' || error.kind === 'refused');
