import type { Sound } from '../../../../platform/guild-parts.ts';
import type { SectionEntry } from '../../../backups/snapshot/snapshot.ts';
import { type DraftStep, draftStep } from '../step.ts';
import { isSettled } from './known-ids.ts';
import { matchParts, planList } from './match-parts.ts';
import type { PartsPlan, PlanParts } from './parts-context.ts';
import { emojiIn } from './resolve-parts.ts';

/** By how far the guild is boosted. */
const slotsByTier = [8, 24, 36, 48];

/** The bytes of a sound never change: the same id is the same sound. */
export const planSoundboard = (input: PlanParts): PartsPlan => {
  const { context, earlierIds, deletesSurplus } = input;
  const { soundboard: current = [] } = context.current.parts ?? {};
  const { premiumTier = 0 } = context.current;
  const saved = context.snapshot.soundboard ?? [];
  const keyOf = ({ name }: Sound) => (context.matchesOnlyIds ? undefined : name);
  const pairs = matchParts(saved, current, earlierIds?.soundboard, keyOf, keyOf);
  const slots = slotsByTier[premiumTier] ?? slotsByTier[0] ?? 0;
  const steps = planList(
    context,
    {
      type: 'sound',
      saved,
      current,
      pairs,
      create: (sound) => createSound(input, sound),
      edit: (sound, now) => editSound(input, sound, now),
      remove: ({ id: soundId, name }) =>
        draftStep({
          key: `delete sound ${soundId}`,
          stage: 'sweep',
          name,
          action: { do: 'deleteSound', soundId },
        }),
      limit: Math.max(slots, current.length),
    },
    deletesSurplus,
  );
  return { steps, pairs };
};

const createSound = ({ context }: PlanParts, saved: SectionEntry<'soundboard'>): DraftStep[] => {
  const { id: oldId, sound, ...wish } = saved;
  if (!sound) {
    context.lose('sound', saved.name, { code: 'soundNotStored' });
    return [];
  }
  const action = { do: 'createSound', oldId, wish, sound } as const;
  return [draftStep({ key: `sound ${oldId}`, stage: 'finish', name: saved.name, action })];
};

const editSound = (
  { known }: PlanParts,
  { id: _, sound: __, ...wish }: SectionEntry<'soundboard'>,
  now: Sound,
): DraftStep[] => {
  const isSettledNow = isSettled(known, { emojis: [wish.emojiId] });
  if (isSettledNow && isSameSound({ ...wish, ...emojiIn(known.map, wish) }, now)) return [];
  const action = { do: 'editSound', soundId: now.id, wish } as const;
  return [draftStep({ key: `edit sound ${now.id}`, stage: 'finish', name: wish.name, action })];
};

export const isSameSound = (one: Omit<Sound, 'id'>, other: Sound): boolean =>
  one.name === other.name &&
  one.volume === other.volume &&
  one.emojiId === other.emojiId &&
  (one.emojiId !== null || one.emojiName === other.emojiName);
