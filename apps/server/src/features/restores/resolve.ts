import type { Channel, Overwrite } from '../../platform/guild.ts';
import type { ChannelWish, RoleWish } from '../../platform/port.ts';
import type { ActionOf, PlannedChannel } from './action.ts';
import type { IdMap } from './id-map.ts';

/** Words of the backup put into words of the target. */

export const resolveChannel = (wish: PlannedChannel, map: IdMap): ChannelWish => ({
  ...wish,
  parentId: wish.parentId === null ? null : (map.channels[wish.parentId] ?? null),
  overwrites: resolveOverwrites(wish.overwrites, map),
  tags: wish.tags.map((tag) => ({ ...tag, emojiId: resolveEmoji(tag.emojiId, map) })),
  defaultReaction: resolveReaction(wish.defaultReaction, map),
});

/** Of a role that is not here nobody is a holder: what it was allowed or denied concerns no one. */
export const resolveOverwrites = (overwrites: Overwrite[], map: IdMap): Overwrite[] =>
  overwrites.flatMap((overwrite) => {
    const id = overwrite.kind === 'member' ? overwrite.id : map.roles[overwrite.id];
    return id === undefined ? [] : [{ ...overwrite, id }];
  });

const resolveEmoji = (emojiId: string | null, map: IdMap): string | null =>
  emojiId === null ? null : (map.emojis[emojiId] ?? null);

export const resolveReaction = (
  reaction: Channel['defaultReaction'],
  map: IdMap,
): Channel['defaultReaction'] => {
  const emojiId = resolveEmoji(reaction?.emojiId ?? null, map);
  const emojiName = reaction?.emojiName ?? null;
  return emojiId === null && emojiName === null ? null : { emojiId, emojiName };
};

export const resolveRoles = (roleIds: string[], map: IdMap): string[] =>
  roleIds.flatMap((id) => map.roles[id] ?? []);

/** The platform would give a new role what everyone has, were it not told otherwise. */
export const newRoleWish = ({ wish }: ActionOf<'createRole'>): RoleWish => ({
  ...wish,
  permissions: '0',
});
