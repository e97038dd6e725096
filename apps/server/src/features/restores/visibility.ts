import type { Channel, Overwrite } from '../../platform/guild.ts';
import { includes, permission, without } from '../../platform/permissions.ts';

/**
 * Who sees a channel is asked of somebody who has no role but @everyone: the overwrite of @everyone
 * decides over what its permissions say, and an administrator sees all.
 */
export const isVisibleToEveryone = (
  everyonePermissions: bigint,
  overwrites: Overwrite[],
  everyoneId: string,
): boolean => {
  if (includes(everyonePermissions, permission.administrator)) return true;
  const own = overwrites.find(({ id, kind }) => kind === 'role' && id === everyoneId);
  const denied = without(everyonePermissions, BigInt(own?.deny ?? 0));
  return includes(denied | BigInt(own?.allow ?? 0), permission.viewChannel);
};

/** The same overwrites, with the channel closed to everybody who is not let in by name. */
export const hideFromEveryone = (overwrites: Overwrite[], everyoneId: string): Overwrite[] =>
  changeOverwrite(overwrites, { id: everyoneId, kind: 'role' }, (own) => ({
    ...own,
    allow: without(BigInt(own.allow), permission.viewChannel).toString(),
    deny: (BigInt(own.deny) | permission.viewChannel).toString(),
  }));

/** Lets one member (the bot at work) do something in a channel. */
export const letMember = (overwrites: Overwrite[], userId: string, bits: bigint): Overwrite[] =>
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

export const sameOverwrites = (some: Overwrite[], others: Overwrite[]): boolean => {
  const spell = (all: Overwrite[]) =>
    all
      .map(({ id, kind, allow, deny }) => `${kind}:${id}:${BigInt(allow)}:${BigInt(deny)}`)
      .sort()
      .join();
  return spell(some) === spell(others);
};

/** Voice channels are numbered apart from the rest, and categories apart from both. */
export const sortingGroup = ({ kind }: Pick<Channel, 'kind'>): 'category' | 'voice' | 'text' => {
  if (kind === 'category') return 'category';
  return kind === 'voice' || kind === 'stage' ? 'voice' : 'text';
};
