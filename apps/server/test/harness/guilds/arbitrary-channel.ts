import fc from 'fast-check';
import type { Channel } from '../../../src/platform/guild.ts';

/** What a channel is besides its place and its overwrites, of every kind there is. */

const words = fc.constantFrom('general', 'rules', 'staff', 'lounge', 'news', 'help');
/** Any script and any emoji, spelled as the platform spells names of channels: small, without spaces. */
const anyScript = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
  .map((name) => name.toLowerCase().replace(/\s+/g, '-'));
/** Few words, so that namesakes are common. */
export const channelName = fc.oneof({ weight: 3, arbitrary: words }, anyScript);

export const channelDetails = fc.record({
  topic: fc.option(fc.string({ maxLength: 8, unit: 'grapheme' }), { nil: null }),
  isAgeRestricted: fc.boolean(),
  slowModeSeconds: fc.nat(100),
  /** More than 64,000 is not for stages. */
  bitrate: fc.integer({ min: 8000, max: 64_000 }),
  userLimit: fc.nat(99),
  rtcRegion: fc.constantFrom(null, 'rotterdam'),
  videoQualityMode: fc.constantFrom(1, 2),
  threadArchiveMinutes: fc.constantFrom(60, 1440, 4320, 10_080),
  threadSlowModeSeconds: fc.nat(100),
  tagEmoji: fc.option(fc.nat(3), { nil: null }),
  isTagModerated: fc.boolean(),
  hasReaction: fc.boolean(),
  defaultSortOrder: fc.constantFrom(null, 0, 1),
  defaultForumLayout: fc.nat(2),
  areTagsRequired: fc.boolean(),
});
type ChannelDetails = typeof channelDetails extends fc.Arbitrary<infer Some> ? Some : never;

/** Those of them that channels of the kind have. */
export const detailsOf = (
  id: string,
  kind: Channel['kind'],
  details: ChannelDetails,
  emojiIds: string[],
): Partial<Channel> => {
  const { topic, isAgeRestricted, slowModeSeconds } = details;
  switch (kind) {
    case 'category':
      return {};
    case 'text':
      return { topic, isAgeRestricted, slowModeSeconds, ...threadDetails(details) };
    case 'announcement':
      return { topic, isAgeRestricted, ...threadDetails(details) };
    case 'voice':
      return { isAgeRestricted, slowModeSeconds, ...voiceDetails(details) };
    case 'stage':
      return { topic, isAgeRestricted, slowModeSeconds, ...voiceDetails(details) };
    default:
      return {
        ...{ topic, isAgeRestricted, slowModeSeconds },
        ...threadDetails(details),
        ...forumDetails(id, details, emojiIds),
        ...(kind === 'forum' ? { defaultForumLayout: details.defaultForumLayout } : {}),
      };
  }
};

const threadDetails = ({ threadArchiveMinutes, threadSlowModeSeconds }: ChannelDetails) => ({
  threadArchiveMinutes,
  threadSlowModeSeconds,
});

const voiceDetails = ({ bitrate, userLimit, rtcRegion, videoQualityMode }: ChannelDetails) => ({
  bitrate,
  userLimit,
  rtcRegion,
  videoQualityMode,
});

const REQUIRE_TAG = 1 << 4;

const forumDetails = (id: string, details: ChannelDetails, emojiIds: string[]) => {
  const emojiId = details.tagEmoji === null ? null : (emojiIds[details.tagEmoji] ?? null);
  const emoji = { emojiId, emojiName: emojiId === null ? '⚓' : null };
  const tag = { id: `${id}1`, name: 'tag', isModerated: details.isTagModerated, ...emoji };
  return {
    tags: [tag],
    defaultReaction: details.hasReaction ? emoji : null,
    defaultSortOrder: details.defaultSortOrder,
    flags: details.areTagsRequired ? REQUIRE_TAG : 0,
  };
};
