import { isDeepStrictEqual } from 'node:util';
import type { Emoji, Sticker } from '../../platform/guild.ts';
import type { SectionEntry } from '../backups/snapshot.ts';
import { emojiKey } from './plan-channels.ts';
import type { Part, Scene } from './scene.ts';
import type { Draft, Loss } from './step.ts';
import { fitUnderLimit } from './under-limit.ts';

/** What every server has; boosts bring more, but how many the platform does not say. */
const SURE_EMOJI_SLOTS = 50;
const SURE_STICKER_SLOTS = 5;

/**
 * The picture of an emoji never changes: the same id is the same picture, and a namesake is another
 * emoji. Still and moving ones have their places apart.
 */
export const planEmojis = (scene: Scene): Part => {
  const losses: Loss[] = [];
  const wanted = (scene.desired.emojis ?? []).filter(({ isManaged }) => !isManaged);
  const present = new Map(scene.present.emojis.map((emoji) => [emoji.id, emoji]));
  const kept = new Set(wanted.map(({ id }) => id));
  const edits = wanted.flatMap((emoji) => editEmoji(scene, emoji, present.get(emoji.id)));
  const rest = [false, true].flatMap((isAnimated) => {
    const isAlike = (emoji: Emoji) => emoji.isAnimated === isAnimated;
    const creates = wanted
      .filter((emoji) => isAlike(emoji) && !present.has(emoji.id))
      .flatMap((emoji) => createEmoji(emoji, losses));
    const surplus = scene.present.emojis.filter(
      (emoji) => isAlike(emoji) && !emoji.isManaged && !kept.has(emoji.id),
    );
    const count = scene.present.emojis.filter(isAlike).length;
    return fill(creates, surplus.map(deleteEmoji), Math.max(SURE_EMOJI_SLOTS, count) - count);
  });
  return { steps: [...edits, ...rest], losses };
};

/** What finds no sure place is tried all the same: there may be one. */
const fill = (creates: Draft[], deletes: Draft[], room: number): Draft[] => {
  const { steps, overflow, left } = fitUnderLimit(creates, deletes, room);
  return [...steps, ...overflow, ...left];
};

const editEmoji = (
  scene: Scene,
  wanted: SectionEntry<'emojis'>,
  current: Emoji | undefined,
): Draft[] => {
  if (!current) return [];
  const isRenamed = wanted.name !== current.name;
  const expected = wanted.roleIds.map((id) => scene.roleMatch.get(id)?.id ?? `new ${id}`);
  const isRestricted = !isDeepStrictEqual(new Set(expected), new Set(current.roleIds));
  if (!isRenamed && !isRestricted) return [];
  return [
    {
      key: `edit emoji ${wanted.id}`,
      stage: 'build',
      after: [],
      action: {
        do: 'editEmoji',
        emojiId: current.id,
        ...(isRenamed ? { name: wanted.name } : {}),
        ...(isRestricted ? { roleIds: wanted.roleIds } : {}),
      },
      type: 'emoji',
      name: wanted.name,
      effect: 'update',
    },
  ];
};

const createEmoji = (wanted: SectionEntry<'emojis'>, losses: Loss[]): Draft[] => {
  const { id: oldId, name, isAnimated, image, roleIds } = wanted;
  if (!image) {
    losses.push({ type: 'emoji', name, reason: 'its picture could not be read for the backup' });
    return [];
  }
  const action = { do: 'createEmoji' as const, oldId, name, isAnimated, image, roleIds };
  const key = emojiKey(oldId);
  return [{ key, stage: 'build', after: [], action, type: 'emoji', name, effect: 'create' }];
};

const deleteEmoji = ({ id, name }: Emoji): Draft => ({
  key: `delete emoji ${id}`,
  stage: 'sweep',
  after: [],
  action: { do: 'deleteEmoji', emojiId: id },
  type: 'emoji',
  name,
  effect: 'delete',
});

export const planStickers = (scene: Scene): Part => {
  const losses: Loss[] = [];
  const wanted = scene.desired.stickers ?? [];
  const present = new Map(scene.present.stickers.map((sticker) => [sticker.id, sticker]));
  const kept = new Set(wanted.map(({ id }) => id));
  const edits = wanted.flatMap((sticker) => editSticker(sticker, present.get(sticker.id)));
  const creates = wanted
    .filter(({ id }) => !present.has(id))
    .flatMap((sticker) => createSticker(scene, sticker, losses));
  const surplus = scene.present.stickers.filter(({ id }) => !kept.has(id));
  const room = Math.max(SURE_STICKER_SLOTS, present.size) - present.size;
  return { steps: [...edits, ...fill(creates, surplus.map(deleteSticker), room)], losses };
};

const editSticker = (wanted: Sticker, current: Sticker | undefined): Draft[] => {
  if (!current) return [];
  const { name, description, tags } = wanted;
  const changes = {
    ...(name === current.name ? {} : { name }),
    ...(description === current.description ? {} : { description }),
    ...(tags === current.tags ? {} : { tags }),
  };
  if (Object.keys(changes).length === 0) return [];
  const action = { do: 'editSticker' as const, stickerId: current.id, changes };
  const key = `edit sticker ${wanted.id}`;
  return [{ key, stage: 'build', after: [], action, type: 'sticker', name, effect: 'update' }];
};

const createSticker = (
  { present }: Scene,
  wanted: SectionEntry<'stickers'>,
  losses: Loss[],
): Draft[] => {
  const { id: oldId, name, description, tags, image, format } = wanted;
  const { features } = present.settings;
  const takesLottie = features.includes('VERIFIED') || features.includes('PARTNERED');
  const reason = !image
    ? 'its picture could not be read for the backup'
    : 'only verified and partnered servers may add stickers of this format';
  if (!image || (format === 'lottie' && !takesLottie)) {
    losses.push({ type: 'sticker', name, reason });
    return [];
  }
  const action = {
    do: 'createSticker' as const,
    oldId,
    wish: { name, description, tags },
    image,
  };
  const key = `sticker ${oldId}`;
  return [{ key, stage: 'build', after: [], action, type: 'sticker', name, effect: 'create' }];
};

const deleteSticker = ({ id, name }: Sticker): Draft => ({
  key: `delete sticker ${id}`,
  stage: 'sweep',
  after: [],
  action: { do: 'deleteSticker', stickerId: id },
  type: 'sticker',
  name,
  effect: 'delete',
});
