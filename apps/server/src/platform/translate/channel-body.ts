import { ChannelFlags, type RESTPatchAPIChannelJSONBody } from 'discord-api-types/v10';
import type { ChannelKind } from '../guild.ts';
import type { ChannelInput } from '../port.ts';
import { typeOfKind } from './channel.ts';
import { overwriteBodyOf } from './role.ts';

/** Null fields are left to the platform's defaults; flags can only be set by an edit. */
export const newChannelBodyOf = ({ kind, ...input }: ChannelInput) => {
  const { flags: _, ...fields } = bodyOf(input);
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return { ...onlyOf(kind, Object.fromEntries(given)), type: typeOfKind[kind] };
};

/** With its kind, only that kind's fields are sent. Only text and announcement can be converted. */
export const channelBodyOf = ({ kind, ...changes }: Partial<ChannelInput>) => {
  const body = bodyOf(changes);
  if (kind === undefined) return body;
  const isConvertible = kind === 'text' || kind === 'announcement';
  return { ...onlyOf(kind, body), type: isConvertible ? typeOfKind[kind] : undefined };
};

/** Who opens such a channel is asked first. */
export const spoilerFlag = ChannelFlags.IsSpoilerChannel;
/** The platform refuses an edit that sets any other flag. */
export const settableFlags =
  ChannelFlags.RequireTag | ChannelFlags.HideMediaDownloadOptions | spoilerFlag;

const bodyOf = (input: Partial<ChannelInput>) =>
  ({
    name: input.name,
    parent_id: input.parentId,
    position: input.position,
    permission_overwrites: input.overwrites?.map(overwriteBodyOf),
    nsfw: input.isAgeRestricted,
    topic: input.topic,
    rate_limit_per_user: input.slowModeSeconds,
    bitrate: input.bitrate,
    user_limit: input.userLimit,
    rtc_region: input.rtcRegion,
    video_quality_mode: input.videoQualityMode,
    default_auto_archive_duration: input.threadArchiveMinutes,
    // The platform's types do not allow null here.
    default_thread_rate_limit_per_user: input.threadSlowModeSeconds ?? undefined,
    available_tags: input.tags?.map(tagBodyOf),
    default_reaction_emoji: input.defaultReaction && {
      emoji_id: input.defaultReaction.emojiId,
      emoji_name: input.defaultReaction.emojiName,
    },
    default_sort_order: input.defaultSortOrder,
    default_forum_layout: input.defaultForumLayout ?? undefined,
    flags: input.flags === undefined ? undefined : input.flags & settableFlags,
  }) satisfies Omit<RESTPatchAPIChannelJSONBody, 'available_tags'> & { available_tags?: object[] };

const tagBodyOf = (tag: ChannelInput['tags'][number]) => ({
  id: tag.id,
  name: tag.name,
  moderated: tag.isModerated,
  emoji_id: tag.emojiId,
  emoji_name: tag.emojiName,
});

const heard: ChannelKind[] = ['voice', 'stage'];
const threaded: ChannelKind[] = ['forum', 'media'];
const written: ChannelKind[] = ['text', 'announcement', ...threaded];

/** Fields that are not listed exist for every kind. */
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
    flags: [...written, ...heard],
  } satisfies { [Field in keyof ReturnType<typeof bodyOf>]?: ChannelKind[] }),
);

const onlyOf = (kind: ChannelKind, body: object) =>
  Object.fromEntries(
    Object.entries(body).filter(([field]) => kindsOfField.get(field)?.includes(kind) ?? true),
  );
