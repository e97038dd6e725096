import { isDeepStrictEqual } from 'node:util';
import type { Emoji, Sticker } from '../../../platform/guild.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { emojiKey } from './channels.ts';
import { fitUnderLimit } from './fit-under-limit.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';

/** What every guild has; boosts bring more, but the platform does not say how many. */
const SURE_EMOJI_SLOTS = 50;
const SURE_STICKER_SLOTS = 5;

/**
 * The picture of an emoji never changes: the same id is the same picture, and one of the same name is
 * another emoji. Still and animated ones have separate slots.
 */
export const planEmojis = (context: PlanContext): DraftStep[] => {
  const all = context.current.emojis;
  const saved = (context.snapshot.emojis ?? []).filter(({ isManaged }) => !isManaged);
  const current = new Map(all.map((emoji) => [emoji.id, emoji]));
  const savedIds = new Set(saved.map(({ id }) => id));
  const edits = saved.flatMap((emoji) => editEmoji(context, emoji, current.get(emoji.id)));
  const rest = [false, true].flatMap((isAnimated) => {
    const isAlike = (emoji: Emoji) => emoji.isAnimated === isAnimated;
    const creates = saved
      .filter((emoji) => isAlike(emoji) && !current.has(emoji.id))
      .flatMap((emoji) => createEmoji(context, emoji));
    const surplus = all.filter(
      (emoji) => isAlike(emoji) && !emoji.isManaged && !savedIds.has(emoji.id),
    );
    const count = all.filter(isAlike).length;
    return fillSlots(creates, surplus.map(deleteEmoji), Math.max(SURE_EMOJI_SLOTS, count) - count);
  });
  return [...edits, ...rest];
};

/** What has no sure slot is tried all the same: there may be one. */
const fillSlots = (creates: DraftStep[], deletes: DraftStep[], room: number): DraftStep[] => {
  const { steps, overflow, left } = fitUnderLimit(creates, deletes, room);
  return [...steps, ...overflow, ...left];
};

const editEmoji = (
  { roleMatch }: PlanContext,
  { id: emojiId, name, roleIds }: SectionEntry<'emojis'>,
  current: Emoji | undefined,
): DraftStep[] => {
  if (!current) return [];
  const isRenamed = name !== current.name;
  const expected = roleIds.map((id) => roleMatch.get(id)?.id ?? `new ${id}`);
  const isRestricted = !isDeepStrictEqual(new Set(expected), new Set(current.roleIds));
  if (!isRenamed && !isRestricted) return [];
  const action = {
    do: 'editEmoji' as const,
    emojiId,
    ...(isRenamed ? { name } : {}),
    ...(isRestricted ? { roleIds } : {}),
  };
  return [draftStep({ key: `edit emoji ${emojiId}`, stage: 'build', name, action })];
};

const createEmoji = ({ lose }: PlanContext, saved: SectionEntry<'emojis'>): DraftStep[] => {
  const { id: oldId, name, isAnimated, image, roleIds } = saved;
  if (!image) {
    lose('emoji', name, { code: 'imageNotStored' });
    return [];
  }
  const action = { do: 'createEmoji' as const, oldId, name, isAnimated, image, roleIds };
  return [draftStep({ key: emojiKey(oldId), stage: 'build', name, action })];
};

const deleteEmoji = ({ id: emojiId, name }: Emoji): DraftStep => {
  const action = { do: 'deleteEmoji', emojiId } as const;
  return draftStep({ key: `delete emoji ${emojiId}`, stage: 'sweep', name, action });
};

export const planStickers = (context: PlanContext): DraftStep[] => {
  const saved = context.snapshot.stickers ?? [];
  const current = new Map(context.current.stickers.map((sticker) => [sticker.id, sticker]));
  const savedIds = new Set(saved.map(({ id }) => id));
  const edits = saved.flatMap((sticker) => editSticker(sticker, current.get(sticker.id)));
  const creates = saved
    .filter(({ id }) => !current.has(id))
    .flatMap((sticker) => createSticker(context, sticker));
  const surplus = context.current.stickers.filter(({ id }) => !savedIds.has(id));
  const room = Math.max(SURE_STICKER_SLOTS, current.size) - current.size;
  return [...edits, ...fillSlots(creates, surplus.map(deleteSticker), room)];
};

const editSticker = (saved: Sticker, current: Sticker | undefined): DraftStep[] => {
  if (!current) return [];
  const { id: stickerId, name, description, tags } = saved;
  const changes = {
    ...(name === current.name ? {} : { name }),
    ...(description === current.description ? {} : { description }),
    ...(tags === current.tags ? {} : { tags }),
  };
  if (Object.keys(changes).length === 0) return [];
  const action = { do: 'editSticker' as const, stickerId, changes };
  return [draftStep({ key: `edit sticker ${stickerId}`, stage: 'build', name, action })];
};

const createSticker = (
  { current, lose }: PlanContext,
  saved: SectionEntry<'stickers'>,
): DraftStep[] => {
  const { id: oldId, name, description, tags, image, format } = saved;
  const { features } = current.settings;
  const takesLottie = features.includes('VERIFIED') || features.includes('PARTNERED');
  if (!image || (format === 'lottie' && !takesLottie)) {
    lose('sticker', name, { code: image ? 'stickerFormatNotAllowed' : 'imageNotStored' });
    return [];
  }
  const wish = { name, description, tags };
  const action = { do: 'createSticker' as const, oldId, wish, image };
  return [draftStep({ key: `sticker ${oldId}`, stage: 'build', name, action })];
};

const deleteSticker = ({ id: stickerId, name }: Sticker): DraftStep => {
  const action = { do: 'deleteSticker' as const, stickerId };
  return draftStep({ key: `delete sticker ${stickerId}`, stage: 'sweep', name, action });
};
