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
  const viewOf = (all: Overwrite[]) => {
    const own = new Map(all.map((one) => [`${one.kind} ${one.id}`, one]));
    return ({ granted, id, kind }: (typeof holders | typeof members)[number]) =>
      includes(
        [`role ${guildId}`, `${kind} ${id}`].reduce((bits, key) => {
          const { allow = 0, deny = 0 } = own.get(key) ?? {};
          return without(bits, BigInt(deny)) | BigInt(allow);
        }, base | granted),
        permission.viewChannel,
      );
  };
  const [sees, shouldSee] = [viewOf(overwrites), viewOf(wanted)];
  return [...holders, ...members]
    .filter((one) => sees(one) && !shouldSee(one))
    .map(({ id, kind }) => ({ id, kind }));
};
