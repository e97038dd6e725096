import { isDeepStrictEqual } from 'node:util';
import type { Emoji, Sticker } from '../../../platform/guild.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { fitUnderLimit } from './fit-under-limit.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import { emojiKey } from './step-keys.ts';

/** How many a guild has, by its boosts: still emojis, as many animated ones, and stickers. */
const slotsByTier = [
  { emojis: 50, stickers: 5 },
  { emojis: 100, stickers: 15 },
  { emojis: 150, stickers: 30 },
  { emojis: 250, stickers: 60 },
] as const;

/**
 * The picture of an emoji never changes: one of the same name with another picture is another emoji.
 * Still and animated ones have separate slots.
 */
export const planEmojis = (context: PlanContext): DraftStep[] => {
  const all = context.current.emojis;
  const { emojis: matched } = context.expressionMatch;
  const saved = (context.snapshot.emojis ?? []).filter(({ isManaged }) => !isManaged);
  const known = new Set([...matched.values()].map(({ id }) => id));
  const edits = saved.flatMap((emoji) => editEmoji(context, emoji, matched.get(emoji.id)));
  const rest = [false, true].flatMap((isAnimated) => {
    const isAlike = (emoji: Emoji) => emoji.isAnimated === isAnimated;
    const creates = saved
      .filter((emoji) => isAlike(emoji) && !matched.has(emoji.id))
      .flatMap((emoji) => createEmoji(context, emoji));
    const surplus = all.filter(
      (emoji) => isAlike(emoji) && !emoji.isManaged && !known.has(emoji.id),
    );
    const there = all.filter((emoji) => isAlike(emoji) && !emoji.isManaged).length;
    return fillSlots(context, 'emojis', there, creates, surplus.map(deleteEmoji));
  });
  return [...edits, ...rest];
};

/** Where the platform does not say how many slots there are, what has no sure one is tried all the same. */
const fillSlots = (
  { current, deletesExtra, lose }: PlanContext,
  of: 'emojis' | 'stickers',
  there: number,
  creates: DraftStep[],
  deletes: DraftStep[],
): DraftStep[] => {
  const { premiumTier } = current;
  const slots = slotsByTier[premiumTier ?? 0] ?? slotsByTier[3];
  const hasMore = current.settings.features.includes(`MORE_${of.toUpperCase()}`);
  const room = Math.max(slots[of], there) - there;
  const isSure = premiumTier !== undefined && !hasMore;
  const { steps, overflow, left } = fitUnderLimit(creates, deletesExtra ? deletes : [], room);
  if (isSure) for (const { type, name } of overflow) lose(type, name, { code: 'noSlot', of });
  return [...steps, ...(isSure ? [] : overflow), ...left];
};

const editEmoji = (
  { idMap, createsRole }: PlanContext,
  { name, roleIds }: SectionEntry<'emojis'>,
  current: Emoji | undefined,
): DraftStep[] => {
  if (!current) return [];
  const isRenamed = name !== current.name;
  const expected = roleIds.flatMap((id) => idMap.roles[id] ?? (createsRole(id) ? `new ${id}` : []));
  const isRestricted = !isDeepStrictEqual(new Set(expected), new Set(current.roleIds));
  if (!isRenamed && !isRestricted) return [];
  const { id: emojiId } = current;
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
  const { stickers: matched } = context.expressionMatch;
  const known = new Set([...matched.values()].map(({ id }) => id));
  const edits = saved.flatMap((sticker) => editSticker(sticker, matched.get(sticker.id)));
  const creates = saved
    .filter(({ id }) => !matched.has(id))
    .flatMap((sticker) => createSticker(context, sticker));
  const { stickers: all } = context.current;
  const surplus = all.filter(({ id }) => !known.has(id));
  return [
    ...edits,
    ...fillSlots(context, 'stickers', all.length, creates, surplus.map(deleteSticker)),
  ];
};

const editSticker = (saved: Sticker, current: Sticker | undefined): DraftStep[] => {
  if (!current) return [];
  const { name, description, tags } = saved;
  const { id: stickerId } = current;
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
