import type { CommunityDocument } from '@holdfast/contract';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import { onboardingMode, promptType } from './enumerations.ts';
import { nameOfImage } from './images.ts';
import { emojisInOrder, inDocumentOrder, type References } from './references.ts';
import { withoutUsual } from './usual-values.ts';

/** The sections of a document that a server need not have. */
type PartName = Exclude<keyof CommunityDocument, 'version' | 'settings' | 'roles' | 'channels'>;
type Part<Name extends PartName> = NonNullable<CommunityDocument[Name]>;

/** A section that the snapshot does not hold is not in the document either: it is left alone. */
export const writeParts = (
  snapshot: Snapshot,
  refer: References,
): Pick<CommunityDocument, PartName> => {
  const { onboarding: [flow] = [], welcomeScreen: [screen] = [] } = snapshot;
  const written = Object.entries(partsInOrder(snapshot, refer)).map(([name, entries]) => [
    name,
    entries.map((entry) => entry.written),
  ]);
  return {
    ...Object.fromEntries(written),
    ...(flow && { onboarding: writeOnboarding(flow, refer) }),
    ...(screen && { welcomeScreen: writeScreen(screen, refer) }),
  };
};

/** The lists of a snapshot, in the order of a document. */
export const partsInOrder = (
  { emojis, stickers, soundboard, automod }: Snapshot,
  refer: References,
) => ({
  ...(emojis && { emojis: emojisInOrder(emojis, refer.role) }),
  ...(stickers && { stickers: inDocumentOrder(stickers, writeSticker) }),
  ...(soundboard && {
    soundboard: inDocumentOrder(soundboard, (one) => writeSound(one, refer)),
  }),
  ...(automod && { automod: inDocumentOrder(automod, (one) => writeRule(one, refer)) }),
});

const writeSticker = ({
  name,
  description,
  tags,
  format,
  image,
}: SectionEntry<'stickers'>): Part<'stickers'>[number] =>
  withoutUsual({
    ...{ name, description: description || undefined, tags, format },
    image: image && nameOfImage(image),
  });

const writeSound = (
  { name, volume, emojiId, emojiName, sound }: SectionEntry<'soundboard'>,
  refer: References,
): Part<'soundboard'>[number] =>
  withoutUsual({
    name,
    volume: volume === 1 ? undefined : volume,
    emoji: refer.emoji(emojiId, emojiName),
    sound: sound && nameOfImage(sound),
  });

const writeRule = (rule: SectionEntry<'automod'>, refer: References): Part<'automod'>[number] => ({
  ...withoutUsual({
    name: rule.name,
    event: rule.eventType,
    trigger: rule.triggerType,
    keywords: rule.keywords,
    patterns: rule.patterns,
    presets: [...rule.presets].sort(),
    allowedWords: rule.allowedWords,
    mentionLimit: rule.mentionLimit,
    raidProtection: rule.isRaidProtectionEnabled,
    exemptRoles: rule.exemptRoleIds.map(refer.role).sort(),
    exemptChannels: rule.exemptChannelIds.map(refer.channel).sort(),
  }),
  actions: rule.actions.map(({ type, channelId, durationSeconds, customMessage }) =>
    withoutUsual({
      ...{ type, durationSeconds, message: customMessage },
      channel: channelId === null ? undefined : refer.channel(channelId),
    }),
  ),
  enabled: rule.isEnabled,
});

const writeOnboarding = (
  { isEnabled, mode, defaultChannelIds, prompts }: SectionEntry<'onboarding'>,
  refer: References,
): Part<'onboarding'> => ({
  ...withoutUsual({ defaultChannels: defaultChannelIds.map(refer.channel).sort() }),
  enabled: isEnabled,
  mode: onboardingMode.nameOf(mode),
  prompts: prompts.map(({ title, type, isSingleSelect, isRequired, isInOnboarding, options }) => ({
    ...withoutUsual({
      singleSelect: isSingleSelect,
      required: isRequired,
      inOnboarding: isInOnboarding,
    }),
    title,
    type: promptType.nameOf(type),
    options: options.map((option) =>
      withoutUsual({
        title: option.title,
        description: option.description,
        emoji: refer.emoji(option.emojiId, option.emojiName),
        channels: option.channelIds.map(refer.channel).sort(),
        roles: option.roleIds.map(refer.role).sort(),
      }),
    ),
  })),
});

const writeScreen = (
  { isEnabled, description, channels }: SectionEntry<'welcomeScreen'>,
  refer: References,
): Part<'welcomeScreen'> => ({
  ...withoutUsual({ description: description || undefined }),
  enabled: isEnabled,
  channels: channels.map(({ channelId, description: text, emojiId, emojiName }) => ({
    ...withoutUsual({ emoji: refer.emoji(emojiId, emojiName) }),
    channel: refer.channel(channelId),
    description: text,
  })),
});
