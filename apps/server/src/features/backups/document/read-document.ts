import { type CommunityDocument, documentFeatures } from '@holdfast/contract';
import type { Channel, ChannelKind, Overwrite } from '../../../platform/guild.ts';
import { settableFlags } from '../../../platform/translate/channel-body.ts';
import { countThings } from '../snapshot/large.ts';
import {
  type SectionEntry,
  type Snapshot,
  type StoredImage,
  settingsPictures,
} from '../snapshot/snapshot.ts';
import {
  contentFilter,
  forumLayout,
  notificationLevel,
  sortOrder,
  verificationLevel,
} from './enumerations.ts';
import { imageOfName } from './images.ts';
import { identifyChannels, identifyRoles } from './match-base.ts';
import { channelPaths, type DocumentChannel, roleNames, treeOfDocument } from './names.ts';
import { identifyEmojis, readParts } from './read-parts.ts';
import { createResolver, type Resolver } from './resolve-names.ts';
import { unsaid, usualBitrate } from './usual-values.ts';

type DocumentRole = CommunityDocument['roles'][number];

/** A document as a snapshot, or what is wrong with it. */
type ReadResult = { snapshot: Snapshot } | { issues: string[] };

/** Twice as many as the platform allows: each costs far more than its bytes. */
const maxChannels = 1000;
/** In all lists of it, far more than the platform allows: it is read and handed over as one thing. */
const maxOnboarding = 10_000;

/**
 * The snapshot that a document describes. The base is what is known of the server, or empty: what has the
 * same name there is the same thing, and keeps what a document does not say.
 */
export const readDocument = (document: CommunityDocument, base: Snapshot): ReadResult => {
  if (document.roles.at(-1)?.name !== '@everyone') {
    return { issues: ['roles: The last one must be @everyone'] };
  }
  const tree = treeOfDocument(document.channels);
  const channelCount = tree.reduce((sum, { children }) => sum + 1 + children.length, 0);
  if (channelCount > maxChannels) {
    return { issues: [`channels: There are more than ${maxChannels} with those in categories`] };
  }
  if (countThings(document.onboarding ?? {}, maxOnboarding) > maxOnboarding) {
    return { issues: [`onboarding: It lists more than ${maxOnboarding} things`] };
  }
  const { guildId } = base;
  const roles = identifyRoles(base, document.roles);
  const channels = identifyChannels(base, document.channels);
  const emojis = identifyEmojis(base, document);
  const paths = channelPaths(tree);
  const names = roleNames(document.roles, ({ managed = false }) => managed);
  const resolver = createResolver({
    roles: new Map([...names].map(([role, name]) => [name, roles.get(role)?.id ?? ''])),
    channels: paths.map(({ thing, path }) => ({ path, id: channels.get(thing)?.id ?? '' })),
    emojis,
  });
  const snapshot: Snapshot = {
    guildId,
    settings: [readSettings(document.settings, base.settings?.[0], resolver)],
    roles: document.roles.map((role, index) => {
      const { id = '', known } = roles.get(role) ?? {};
      const position = document.roles.length - 1 - index;
      return readRole(role, known, { id, position }, resolver.at(`roles[${index}]`));
    }),
    channels: paths.map(({ thing, parent, path }, position) => {
      const { id = '', known } = channels.get(thing) ?? {};
      const parentId = parent ? (channels.get(parent)?.id ?? null) : null;
      return readChannel(thing, known, { id, parentId, position }, resolver.at(`channel ${path}`));
    }),
    ...readParts(document, base, resolver),
  };
  return resolver.issues.length > 0 ? { issues: resolver.issues } : { snapshot };
};

type SavedSettings = SectionEntry<'settings'>;
const pictureHashes = {
  icon: 'iconHash',
  splash: 'splashHash',
  discoverySplash: 'discoverySplashHash',
  banner: 'bannerHash',
} as const;

/** What the platform has under another name than a document's picture is compared by its bytes. */
const foreignHash = 'document';

/** A picture that the base knows but does not hold stays: no document can name it. */
const readPicture = (
  name: string | null | undefined,
  base: { stored: StoredImage | undefined; hash: string | null } | undefined,
): { stored: StoredImage; hash: string | null } => {
  if (!name) {
    const isUnknown = base && !base.stored && base.hash !== null;
    return { stored: null, hash: isUnknown ? base.hash : null };
  }
  const stored = imageOfName(name);
  return { stored, hash: base?.stored?.hash === stored.hash ? base.hash : foreignHash };
};

const readSettings = (
  given: CommunityDocument['settings'],
  base: SavedSettings | undefined,
  resolver: Resolver,
): SavedSettings => {
  const at = resolver.at('settings');
  const channel = (field: string, reference: string | undefined) =>
    reference === undefined ? null : at.channel(field, reference);
  const pictures = settingsPictures.map((picture) => {
    const known = base && { stored: base.pictures[picture], hash: base[pictureHashes[picture]] };
    return [picture, readPicture(given[picture], known)] as const;
  });
  const hashes = pictures.map(([picture, { hash }]) => [pictureHashes[picture], hash]);
  const stored = pictures.map(([picture, image]) => [picture, image.stored]);
  const kept = (base?.features ?? []).filter(
    (name) => !documentFeatures.some((feature) => feature === name),
  );
  return {
    name: given.name,
    description: given.description ?? unsaid(base?.description),
    ...{ iconHash: null, splashHash: null, discoverySplashHash: null, bannerHash: null },
    ...Object.fromEntries(hashes),
    verificationLevel: verificationLevel.valueOf(given.verificationLevel),
    defaultMessageNotifications: notificationLevel.valueOf(given.defaultMessageNotifications),
    explicitContentFilter: contentFilter.valueOf(given.explicitContentFilter),
    preferredLocale: given.preferredLocale,
    afkChannelId: channel('afkChannel', given.afkChannel),
    afkTimeoutSeconds: given.afkTimeoutSeconds,
    systemChannelId: channel('systemChannel', given.systemChannel),
    systemChannelFlags: given.systemChannelFlags ?? 0,
    rulesChannelId: channel('rulesChannel', given.rulesChannel),
    publicUpdatesChannelId: channel('publicUpdatesChannel', given.publicUpdatesChannel),
    safetyAlertsChannelId: channel('safetyAlertsChannel', given.safetyAlertsChannel),
    isProgressBarEnabled: given.progressBar ?? false,
    features: [...kept, ...(given.features ?? [])],
    pictures: {
      ...{ icon: null, splash: null, discoverySplash: null, banner: null },
      ...Object.fromEntries(stored),
    },
  };
};

const readRole = (
  given: DocumentRole,
  base: SectionEntry<'roles'> | undefined,
  { id, position }: { id: string; position: number },
  at: ReturnType<Resolver['at']>,
): SectionEntry<'roles'> => {
  const icon = readPicture(given.icon, base && { stored: base.icon, hash: base.iconHash });
  return {
    id,
    name: given.name,
    colors: {
      primary: readColor(given.color) ?? 0,
      secondary: readColor(given.secondaryColor),
      tertiary: readColor(given.tertiaryColor),
    },
    isHoisted: given.hoisted ?? false,
    isMentionable: given.mentionable ?? false,
    isManaged: given.managed ?? false,
    botId: base?.botId ?? null,
    ...(base?.isOfBoosters && { isOfBoosters: true }),
    ...(base?.isLinked && { isLinked: true }),
    permissions: at.permissions('permissions', given.permissions),
    position,
    iconHash: icon.hash,
    unicodeEmoji: given.unicodeEmoji ?? null,
    icon: icon.stored,
  };
};

const readColor = (color: string | undefined): number | null =>
  color === undefined ? null : Number.parseInt(color.slice(1), 16);

const kinds = {
  TEXT: 'text',
  ANNOUNCEMENT: 'announcement',
  VOICE: 'voice',
  STAGE: 'stage',
  FORUM: 'forum',
  MEDIA: 'media',
  CATEGORY: 'category',
} as const satisfies Record<DocumentChannel['type'], ChannelKind>;

type Place = Pick<Channel, 'id' | 'parentId' | 'position'>;

const readChannel = (
  given: DocumentChannel,
  base: Channel | undefined,
  place: Place,
  at: ReturnType<Resolver['at']>,
): Channel => {
  const kind = kinds[given.type];
  const overwrites = readOverwrites(given, base, at);
  const shared = { ...place, kind, name: given.name, overwrites };
  if (given.type === 'CATEGORY') return { ...shared, ...plainFields, flags: base?.flags ?? 0 };
  const isSpoken = kind === 'voice' || kind === 'stage';
  const isForum = kind === 'forum' || kind === 'media';
  return {
    ...shared,
    isAgeRestricted: given.ageRestricted ?? false,
    topic: given.topic ?? unsaid(base?.topic),
    slowModeSeconds: given.slowModeSeconds ?? 0,
    bitrate: given.bitrate ?? (base?.bitrate === null || !isSpoken ? null : usualBitrate),
    userLimit: given.userLimit ?? null,
    rtcRegion: given.region ?? null,
    videoQualityMode: given.videoQuality ?? null,
    threadArchiveMinutes: given.threadArchiveMinutes ?? null,
    threadSlowModeSeconds: given.threadSlowModeSeconds ?? null,
    tags: (given.tags ?? []).map(({ name, moderated = false, emoji }, index) => ({
      // The platform numbers new ones itself; one that is there keeps its number.
      id: base?.tags.find((tag) => tag.name === name)?.id ?? String(index + 1),
      ...{ name, isModerated: moderated },
      ...at.emoji(`tags[${index}].emoji`, emoji),
    })),
    defaultReaction:
      given.defaultReaction === undefined
        ? null
        : at.emoji('defaultReaction', given.defaultReaction),
    defaultSortOrder: given.sortOrder === undefined ? null : sortOrder.valueOf(given.sortOrder),
    defaultForumLayout:
      given.layout === undefined
        ? base?.defaultForumLayout === null || !isForum
          ? null
          : 0
        : forumLayout.valueOf(given.layout),
    flags: ((base?.flags ?? 0) & ~settableFlags) | ((given.flags ?? 0) & settableFlags),
  };
};

/** Of a channel that nobody has set anything of. */
export const plainFields = {
  isAgeRestricted: false,
  topic: null,
  slowModeSeconds: 0,
  bitrate: null,
  userLimit: null,
  rtcRegion: null,
  videoQualityMode: null,
  threadArchiveMinutes: null,
  threadSlowModeSeconds: null,
  tags: [],
  defaultReaction: null,
  defaultSortOrder: null,
  defaultForumLayout: null,
} satisfies Partial<Channel>;

/** A document without overwrites for people leaves those of the channel as they are. */
const readOverwrites = (
  { overwrites = [], memberOverwrites }: DocumentChannel,
  base: Channel | undefined,
  at: ReturnType<Resolver['at']>,
): Overwrite[] => {
  const bits = (place: string, { allow, deny }: { allow?: string[]; deny?: string[] }) => ({
    allow: at.permissions(`${place}.allow`, allow),
    deny: at.permissions(`${place}.deny`, deny),
  });
  const ofRoles = overwrites.map(({ role, ...given }, index): Overwrite => {
    const place = `overwrites[${index}]`;
    return { id: at.role(`${place}.role`, role), kind: 'role', ...bits(place, given) };
  });
  const ofMembers = memberOverwrites?.map(
    ({ member, ...given }, index): Overwrite => ({
      ...{ id: BigInt(member).toString(), kind: 'member' },
      ...bits(`memberOverwrites[${index}]`, given),
    }),
  );
  const kept = base?.overwrites.filter(({ kind }) => kind === 'member') ?? [];
  return at.once(
    'overwrites',
    [...ofRoles, ...(ofMembers ?? kept)],
    ({ kind, id }) => `${kind} ${id}`,
  );
};
