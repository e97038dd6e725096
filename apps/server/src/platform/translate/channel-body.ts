import { ChannelFlags, type RESTPatchAPIChannelJSONBody } from 'discord-api-types/v10';
import type { ChannelKind } from '../guild.ts';
import type { ChannelWish } from '../port.ts';
import { typeOfKind } from './channel.ts';
import { overwriteBodyOf } from './role.ts';

/** What is not said of a new channel stays as the platform makes it; flags it takes only in an edit. */
export const newChannelBodyOf = ({ kind, ...wish }: ChannelWish) => {
  const { flags: _, ...fields } = bodyOf(wish);
  const said = Object.entries(fields).filter(([, value]) => value !== null);
  return { ...onlyOf(kind, Object.fromEntries(said)), type: typeOfKind[kind] };
};

/** Without its kind, a channel gets whatever is given. Only text and announcements change kinds. */
export const channelBodyOf = ({ kind, ...changes }: Partial<ChannelWish>) => {
  const body = bodyOf(changes);
  if (kind === undefined) return body;
  const isConvertible = kind === 'text' || kind === 'announcement';
  return { ...onlyOf(kind, body), type: isConvertible ? typeOfKind[kind] : undefined };
};

/** The others are the platform's own, and it refuses whoever tries to set them. */
export const settableFlags = ChannelFlags.RequireTag | ChannelFlags.HideMediaDownloadOptions;

const bodyOf = (wish: Partial<ChannelWish>) =>
  ({
    name: wish.name,
    parent_id: wish.parentId,
    position: wish.position,
    permission_overwrites: wish.overwrites?.map(overwriteBodyOf),
    nsfw: wish.isAgeRestricted,
    topic: wish.topic,
    rate_limit_per_user: wish.slowModeSeconds,
    bitrate: wish.bitrate,
    user_limit: wish.userLimit,
    rtc_region: wish.rtcRegion,
    video_quality_mode: wish.videoQualityMode,
    default_auto_archive_duration: wish.threadArchiveMinutes,
    // The platform's types do not allow for "as it was at first" here.
    default_thread_rate_limit_per_user: wish.threadSlowModeSeconds ?? undefined,
    available_tags: wish.tags?.map(tagBodyOf),
    default_reaction_emoji: wish.defaultReaction && {
      emoji_id: wish.defaultReaction.emojiId,
      emoji_name: wish.defaultReaction.emojiName,
    },
    default_sort_order: wish.defaultSortOrder,
    default_forum_layout: wish.defaultForumLayout ?? undefined,
    flags: wish.flags === undefined ? undefined : wish.flags & settableFlags,
  }) satisfies Omit<RESTPatchAPIChannelJSONBody, 'available_tags'> & { available_tags?: object[] };

const tagBodyOf = (tag: ChannelWish['tags'][number]) => ({
  id: tag.id,
  name: tag.name,
  moderated: tag.isModerated,
  emoji_id: tag.emojiId,
  emoji_name: tag.emojiName,
});

const heard: ChannelKind[] = ['voice', 'stage'];
const threaded: ChannelKind[] = ['forum', 'media'];
const written: ChannelKind[] = ['text', 'announcement', ...threaded];

/** Fields that are not listed belong to every kind. */
const kindsOfField = new Map<string, ChannelKind[]>(
  Object.entries({
    parent_id: [...written, ...heard],
    nsfw: [...written, ...heard],
    topic: [...written, 'stage'],
    rate_limit_per_user: ['text', ...threaded, ...heard],
    bitrate: heard,
    user_limit: heard,
    rtc_region: heard,
    video_quality_mode: heard,
    default_auto_archive_duration: written,
    default_thread_rate_limit_per_user: written,
    available_tags: threaded,
    default_reaction_emoji: threaded,
    default_sort_order: threaded,
    default_forum_layout: ['forum'],
    flags: threaded,
  } satisfies { [Field in keyof ReturnType<typeof bodyOf>]?: ChannelKind[] }),
);

const onlyOf = (kind: ChannelKind, body: object) =>
  Object.fromEntries(
    Object.entries(body).filter(([field]) => kindsOfField.get(field)?.includes(kind) ?? true),
  );
