import { imageName } from '@holdfast/contract';
import { z } from 'zod';
import { type SectionName, type Snapshot, sectionEntries } from '../snapshot/snapshot.ts';

/** What an import hands to its job: the snapshot, and of which pieces its new images are. */
const { settings, roles, channels, emojis, stickers, soundboard } = sectionEntries;
const { automod, onboarding, welcomeScreen } = sectionEntries;

export const draftShape = z.object({
  snapshot: z.object({
    guildId: z.string(),
    settings: z.array(settings),
    roles: z.array(roles),
    channels: z.array(channels),
    emojis: z.array(emojis).optional(),
    stickers: z.array(stickers).optional(),
    soundboard: z.array(soundboard).optional(),
    automod: z.array(automod).optional(),
    onboarding: z.array(onboarding).optional(),
    welcomeScreen: z.array(welcomeScreen).optional(),
  } satisfies Partial<Record<SectionName | 'guildId', z.ZodType>>),
  images: z.array(z.object({ name: imageName, pieces: z.array(z.string()) })),
});

export type Draft = { snapshot: Snapshot; images: { name: string; pieces: string[] }[] };
