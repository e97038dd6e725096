import type { Overwrite } from '../../../platform/guild.ts';
import { isVisibleToEveryone, permission, without } from '../../../platform/permissions.ts';

export { isVisibleToEveryone };

/** The same overwrites, with the channel closed to everyone who is not allowed in by another one. */
export const hideFromEveryone = (overwrites: Overwrite[], everyoneId: string): Overwrite[] =>
  denyRole(overwrites, everyoneId, permission.viewChannel);

/** The same overwrites, with less for one role. */
export const denyRole = (overwrites: Overwrite[], id: string, bits: bigint): Overwrite[] =>
  deny(overwrites, { id, kind: 'role' }, bits);

/** The same overwrites, with the channel closed to these. */
export const denyView = (
  overwrites: Overwrite[],
  subjects: Pick<Overwrite, 'id' | 'kind'>[],
): Overwrite[] =>
  subjects.reduce((all, subject) => deny(all, subject, permission.viewChannel), overwrites);

const deny = (
  overwrites: Overwrite[],
  subject: Pick<Overwrite, 'id' | 'kind'>,
  bits: bigint,
): Overwrite[] =>
  changeOverwrite(overwrites, subject, (own) => ({
    ...own,
    allow: without(BigInt(own.allow), bits).toString(),
    deny: (BigInt(own.deny) | bits).toString(),
  }));

/** The same overwrites, with permissions for one member. */
export const allowMember = (overwrites: Overwrite[], userId: string, bits: bigint): Overwrite[] =>
  changeOverwrite(overwrites, { id: userId, kind: 'member' }, (own) => ({
    ...own,
    allow: (BigInt(own.allow) | bits).toString(),
    deny: without(BigInt(own.deny), bits).toString(),
  }));

const changeOverwrite = (
  overwrites: Overwrite[],
  target: Pick<Overwrite, 'id' | 'kind'>,
  change: (own: Overwrite) => Overwrite,
): Overwrite[] => {
  const isTarget = ({ id, kind }: Overwrite) => id === target.id && kind === target.kind;
  const own = overwrites.find(isTarget) ?? { ...target, allow: '0', deny: '0' };
  return [...overwrites.filter((overwrite) => !isTarget(overwrite)), change(own)];
};
