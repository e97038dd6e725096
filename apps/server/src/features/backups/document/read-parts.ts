import type { CommunityDocument } from '@holdfast/contract';
import type { SectionEntry, Snapshot } from '../snapshot/snapshot.ts';
import { onboardingMode, promptType } from './enumerations.ts';
import { imageOfName } from './images.ts';
import { identifyPictured, identifyRules } from './match-base.ts';
import { referencesIn } from './references.ts';
import type { Resolver } from './resolve-names.ts';
import { unsaid } from './usual-values.ts';
import { partsInOrder } from './write-parts.ts';

type Part<Name extends keyof CommunityDocument> = NonNullable<CommunityDocument[Name]>;

const hashOfName = (name: string | null | undefined): string | undefined =>
  name ? imageOfName(name).hash : undefined;

const emojiIdentities = (base: Snapshot, given: Part<'emojis'>) =>
  identifyPictured(base.guildId, 'emoji', given, base.emojis ?? [], {
    ofGiven: ({ name, image }) => ({ name, hash: hashOfName(image) }),
    hashOf: ({ image }) => image?.hash,
  });

/** The emojis that a document can refer to: its own, or the server's where it does not manage them. */
export const identifyEmojis = (
  snapshot: Snapshot,
  { emojis }: CommunityDocument,
): { name: string; id: string }[] => {
  const base = inOrder(snapshot);
  if (!emojis) return base.emojis ?? [];
  const identities = emojiIdentities(base, emojis);
  return emojis.map((one) => ({ name: one.name, id: identities.get(one)?.id ?? '' }));
};

/** What is known, in the order that a document has: of several with one name the same one is meant. */
const inOrder = (base: Snapshot): Snapshot => {
  const ordered = Object.entries(partsInOrder(base, referencesIn(base))).map(([name, entries]) => [
    name,
    entries.map(({ thing }) => thing),
  ]);
  return { ...base, ...Object.fromEntries(ordered) };
};

/** Sections that a document does not have are not in its snapshot: they are left alone. */
export const readParts = (
  document: CommunityDocument,
  snapshot: Snapshot,
  resolver: Resolver,
): Partial<Snapshot> => {
  const base = inOrder(snapshot);
  const { emojis, stickers, soundboard, automod, onboarding, welcomeScreen } = document;
  return {
    ...(emojis && { emojis: readEmojis(emojis, base, resolver) }),
    ...(stickers && { stickers: readStickers(stickers, base) }),
    ...(soundboard && { soundboard: readSounds(soundboard, base, resolver) }),
    ...(automod && { automod: readRules(automod, base, resolver) }),
    ...(onboarding && { onboarding: [readOnboarding(onboarding, resolver)] }),
    ...(welcomeScreen && { welcomeScreen: [readScreen(welcomeScreen, resolver)] }),
  };
};

const readEmojis = (
  given: Part<'emojis'>,
  base: Snapshot,
  resolver: Resolver,
): SectionEntry<'emojis'>[] => {
  const identities = emojiIdentities(base, given);
  return given.map((emoji, index) => {
    const { id = '', known } = identities.get(emoji) ?? {};
    const at = resolver.at(`emojis[${index}]`);
    const { name, image, animated = false, managed = false, roles = [] } = emoji;
    return {
      ...{ id, name, isAnimated: animated, isManaged: managed },
      roleIds: roles.map((role, place) => at.role(`roles[${place}]`, role)),
      image: image ? imageOfName(image) : (known?.image ?? null),
    };
  });
};

const readStickers = (given: Part<'stickers'>, base: Snapshot): SectionEntry<'stickers'>[] => {
  const identities = identifyPictured(base.guildId, 'sticker', given, base.stickers ?? [], {
    ofGiven: ({ name, image }) => ({ name, hash: hashOfName(image) }),
    hashOf: ({ image }) => image?.hash,
  });
  return given.map((sticker) => {
    const { id = '', known } = identities.get(sticker) ?? {};
    const { name, description, tags, format, image } = sticker;
    const text = description ?? unsaid(known?.description);
    const stored = image ? imageOfName(image) : (known?.image ?? null);
    return { id, name, description: text, tags, format, image: stored };
  });
};

const readSounds = (
  given: Part<'soundboard'>,
  base: Snapshot,
  resolver: Resolver,
): SectionEntry<'soundboard'>[] => {
  const identities = identifyPictured(base.guildId, 'sound', given, base.soundboard ?? [], {
    ofGiven: ({ name, sound }) => ({ name, hash: hashOfName(sound) }),
    hashOf: ({ sound }) => sound?.hash,
  });
  return given.map((one, index) => {
    const { id = '', known } = identities.get(one) ?? {};
    const { name, volume = 1, emoji, sound } = one;
    return {
      ...{ id, name, volume },
      ...resolver.at(`soundboard[${index}]`).emoji('emoji', emoji),
      sound: sound ? imageOfName(sound) : (known?.sound ?? null),
    };
  });
};

const readRules = (
  given: Part<'automod'>,
  base: Snapshot,
  resolver: Resolver,
): SectionEntry<'automod'>[] => {
  const identities = identifyRules(base, given);
  return given.map((rule, index) => {
    const { id = '', known } = identities.get(rule) ?? {};
    const at = resolver.at(`automod[${index}]`);
    const { exemptRoles = [], exemptChannels = [] } = rule;
    return {
      ...{ id, name: rule.name, eventType: rule.event, triggerType: rule.trigger },
      ...{ keywords: rule.keywords ?? [], patterns: rule.patterns ?? [] },
      ...{ presets: rule.presets ?? [], allowedWords: rule.allowedWords ?? [] },
      mentionLimit: rule.mentionLimit ?? null,
      isRaidProtectionEnabled:
        rule.raidProtection ?? (known?.isRaidProtectionEnabled === false ? false : null),
      actions: rule.actions.map(({ type, channel, durationSeconds, message }, place) => ({
        type,
        channelId: channel === undefined ? null : at.channel(`actions[${place}].channel`, channel),
        durationSeconds: durationSeconds ?? null,
        customMessage: message ?? null,
      })),
      isEnabled: rule.enabled,
      exemptRoleIds: exemptRoles.map((name, place) => at.role(`exemptRoles[${place}]`, name)),
      exemptChannelIds: exemptChannels.map((path, place) =>
        at.channel(`exemptChannels[${place}]`, path),
      ),
    };
  });
};

const readOnboarding = (
  { enabled, mode, defaultChannels = [], prompts }: Part<'onboarding'>,
  resolver: Resolver,
): SectionEntry<'onboarding'> => ({
  isEnabled: enabled,
  mode: onboardingMode.valueOf(mode),
  defaultChannelIds: defaultChannels.map((path, place) =>
    resolver.at('onboarding').channel(`defaultChannels[${place}]`, path),
  ),
  prompts: prompts.map((prompt, index) => ({
    // A restore gives them the ids that they have in the server.
    id: String(index + 1),
    type: promptType.valueOf(prompt.type),
    title: prompt.title,
    isSingleSelect: prompt.singleSelect ?? false,
    isRequired: prompt.required ?? false,
    isInOnboarding: prompt.inOnboarding ?? false,
    options: prompt.options.map((option, place) => {
      const at = resolver.at(`onboarding.prompts[${index}].options[${place}]`);
      const { title, description = null, emoji, channels = [], roles = [] } = option;
      return {
        ...{ id: String((index + 1) * 1000 + place), title, description },
        ...at.emoji('emoji', emoji),
        isEmojiAnimated: false,
        channelIds: channels.map((path, number) => at.channel(`channels[${number}]`, path)),
        roleIds: roles.map((name, number) => at.role(`roles[${number}]`, name)),
      };
    }),
  })),
});

const readScreen = (
  { enabled, description, channels }: Part<'welcomeScreen'>,
  resolver: Resolver,
): SectionEntry<'welcomeScreen'> => ({
  isEnabled: enabled,
  description: description ?? null,
  channels: channels.map(({ channel, description: text, emoji }, index) => {
    const at = resolver.at(`welcomeScreen.channels[${index}]`);
    return {
      channelId: at.channel('channel', channel),
      description: text,
      ...at.emoji('emoji', emoji),
    };
  }),
});
