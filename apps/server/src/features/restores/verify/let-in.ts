import type { Overwrite } from '../../../platform/guild.ts';
import { includes, permission, without } from '../../../platform/permissions.ts';
import type { GuildState } from '../plan/step.ts';

/** Everyone, the holders of one role, or one member. */
export type Subject = Pick<Overwrite, 'id' | 'kind'>;

/**
 * Roles and members who see a channel by these overwrites and would not by the wanted ones. Each role is
 * taken alone, each member without roles. Administrators are kept out by no overwrite.
 */
export const findLetIn = (
  { roles, guildId }: GuildState,
  overwrites: Overwrite[],
  wanted: Overwrite[],
): Subject[] => {
  const base = BigInt(roles.find(({ id }) => id === guildId)?.permissions ?? 0);
  const holders = roles
    .map(({ id, permissions }) => ({ id, kind: 'role' as const, granted: BigInt(permissions) }))
    .filter(({ granted }) => !includes(granted, permission.administrator));
  const members = overwrites
    .filter(({ kind }) => kind === 'member')
    .map(({ id }) => ({ id, kind: 'member' as const, granted: 0n }));
  const sees = (
    all: Overwrite[],
    { granted, ...subject }: (typeof holders | typeof members)[number],
  ) =>
    includes(
      [{ id: guildId, kind: 'role' }, subject].reduce((bits, { id, kind }) => {
        const own = all.find((one) => one.id === id && one.kind === kind);
        return without(bits, BigInt(own?.deny ?? 0)) | BigInt(own?.allow ?? 0);
      }, base | granted),
      permission.viewChannel,
    );
  return [...holders, ...members]
    .filter((one) => sees(overwrites, one) && !sees(wanted, one))
    .map(({ id, kind }) => ({ id, kind }));
};
