import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { announceMessage } from '../announce/conversation.ts';
import { watch } from '../announce/watch.ts';
import { ChannelType } from '../channel/fields.ts';
import type { Thread } from '../guild/conversation.ts';
import type { Channel, Guild } from '../guild/guild.ts';
import { newMessage, newThread } from '../guild/new-guild.ts';
import { ALL_PERMISSIONS, hasPermission, Permission } from '../guild/permissions.ts';
import { addThread, removeThread } from '../guild/world.ts';
import { accessChannel, type ChannelAccess, requirePermissions } from '../http/access.ts';
import { ApiError, invalidField, unknownMessage } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import { readFiles } from '../message/attachments.ts';
import { presentMessage } from '../message/present.ts';
import { ownMessageSchema } from '../message/schema.ts';
import { addMessage, type Draft, writeMessage } from '../message/write.ts';
import type { Platform, PlatformContext } from '../platform.ts';
import { durationField, requireTags, slowmodeField } from './fields.ts';
import { presentThread } from './present.ts';

const MAX_ACTIVE_THREADS = 1000;
const HAS_THREAD_FLAG = 1 << 5;
const ANNOUNCEMENT_THREAD = 10;
const PUBLIC_THREAD = 11;
const PRIVATE_THREAD = 12;
/** Messages of the platform's own: "… started a thread", and the pointer at a thread's beginning. */
const THREAD_CREATED_TYPE = 18;
const THREAD_STARTER_TYPE = 21;

const fromMessageSchema = z.object({
  name: z.string().min(1).max(100),
  auto_archive_duration: durationField,
  rate_limit_per_user: slowmodeField,
});

const newSchema = fromMessageSchema.extend({
  type: z.literal([ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD]).nullish(),
  invitable: z.boolean().nullish(),
  applied_tags: z.array(snowflakeField).max(5).nullish(),
  message: ownMessageSchema.optional(),
});

type NewThread = z.output<typeof newSchema>;

export const isForum = ({ type }: Channel): boolean =>
  type === ChannelType.Forum || type === ChannelType.Media;

/** A thread without a message, or a post of a forum. */
export const startThread = async (platform: Platform, c: PlatformContext) => {
  const access = accessChannel(platform, c);
  const asked = await readBody(c, newSchema);
  if (isForum(access.channel)) return startOwnPost(platform, c, access, asked);
  const { guild, channel, bot } = access;
  const type = threadTypeFor(channel, asked.type ?? PRIVATE_THREAD);
  const isPrivate = type === PRIVATE_THREAD;
  const needed = isPrivate ? Permission.CreatePrivateThreads : Permission.CreatePublicThreads;
  requirePermissions(access.permissions, needed);
  const id = platform.world.nextId();
  const watched = watch(guild, ['threads', id]);
  const thread = openThread(platform, guild, channel, { ...asked, id, ownerId: bot.id, type });
  const by = byCaller(c);
  announce(platform, by, watched);
  if (!isPrivate) {
    announceMessage(platform, by, guild, { after: addCreatedNotice(platform, guild, thread) });
  }
  return c.json(presentThread(guild, thread, bot.id), 201);
};

/** The thread gets the id of the message. */
export const startThreadFromMessage = async (platform: Platform, c: PlatformContext) => {
  const access = accessChannel(platform, c, Permission.CreatePublicThreads);
  const { guild, channel, bot } = access;
  const asked = await readBody(c, fromMessageSchema);
  const message = guild.messages.get(channel.id)?.get(c.req.param('message') ?? '');
  if (!message) throw unknownMessage();
  if (guild.threads.has(message.id)) {
    throw new ApiError(400, 160004, 'A thread has already been created for this message');
  }
  const type = threadTypeFor(channel, PUBLIC_THREAD);
  const watched = watch(guild, ['threads', message.id]);
  const thread = openThread(platform, guild, channel, {
    ...asked,
    ownerId: bot.id,
    type,
    id: message.id,
  });
  message.flags |= HAS_THREAD_FLAG;
  const first = addMessage(
    guild,
    newMessage({
      id: platform.world.nextId(),
      channel_id: thread.id,
      author_id: message.author_id,
      type: THREAD_STARTER_TYPE,
      message_reference: {
        type: 0,
        channel_id: channel.id,
        message_id: message.id,
        guild_id: guild.id,
      },
    }),
  );
  announce(platform, byCaller(c), watched);
  announceMessage(platform, byCaller(c), guild, { before: message, after: message });
  announceMessage(platform, byCaller(c), guild, { after: first });
  return c.json(presentThread(guild, thread, bot.id), 201);
};

const startOwnPost = async (
  platform: Platform,
  c: PlatformContext,
  { guild, channel, bot, permissions }: ChannelAccess,
  asked: NewThread,
) => {
  requirePermissions(permissions, Permission.SendMessages);
  const { message: fields } = asked;
  if (!fields) throw invalidField(['message'], 'BASE_TYPE_REQUIRED', 'This field is required');
  const { thread, message } = await openPost(platform, c, guild, channel, {
    post: { ...asked, type: PUBLIC_THREAD, ownerId: bot.id },
    permissions,
    draft: {
      authorId: bot.id,
      fields,
      files: await readFiles(c),
      mentionsEveryone: hasPermission(permissions, Permission.MentionEveryone),
    },
  });
  announceMessage(platform, byCaller(c), guild, { after: message });
  const shown = presentThread(guild, thread, bot.id);
  return c.json({ ...shown, message: presentMessage(platform, c, guild, message) }, 201);
};

type Opening = Pick<NewThread, 'name' | 'auto_archive_duration' | 'rate_limit_per_user'> & {
  ownerId: string;
  id?: string;
  type?: number;
  invitable?: boolean | null;
  applied_tags?: string[] | null;
};

type PostOpening = {
  post: Opening;
  /** Of who posts: a webhook has all of them. */
  permissions?: bigint;
  draft: Omit<Draft, 'placeId' | 'id'>;
};

/** A post of a forum is a public thread whose first message has the thread's id. */
export const openPost = async (
  platform: Platform,
  c: PlatformContext,
  guild: Guild,
  forum: Channel,
  { post, draft, permissions = ALL_PERMISSIONS }: PostOpening,
) => {
  const tagIds = post.applied_tags ?? [];
  requireTags(forum, tagIds, permissions);
  const id = platform.world.nextId();
  const watched = watch(guild, ['threads', id]);
  const thread = openThread(platform, guild, forum, { ...post, id });
  thread.applied_tags = tagIds;
  try {
    const message = await writeMessage(platform.world, guild, { ...draft, placeId: id, id });
    announce(platform, byCaller(c), watched);
    return { thread, message };
  } catch (error) {
    // A message that is refused leaves no empty post behind.
    removeThread(platform.world, guild, id);
    throw error;
  }
};

const openThread = (
  { world }: Platform,
  guild: Guild,
  channel: Channel,
  { id = world.nextId(), type = PUBLIC_THREAD, ...asked }: Opening,
): Thread => {
  let active = 0;
  for (const { thread_metadata } of guild.threads.values())
    if (!thread_metadata.archived) active += 1;
  if (active >= MAX_ACTIVE_THREADS) {
    throw new ApiError(400, 160006, 'Maximum number of active threads reached');
  }
  const thread = newThread({
    id,
    guild_id: guild.id,
    parent_id: channel.id,
    type,
    name: asked.name,
    owner_id: asked.ownerId,
    rate_limit_per_user:
      asked.rate_limit_per_user ?? channel.default_thread_rate_limit_per_user ?? 0,
  });
  thread.thread_metadata.auto_archive_duration =
    asked.auto_archive_duration ?? channel.default_auto_archive_duration ?? 1440;
  if (type === PRIVATE_THREAD) thread.thread_metadata.invitable = asked.invitable ?? true;
  addThread(world, guild, thread);
  if (isForum(channel)) channel.last_message_id = thread.id;
  return thread;
};

/** Announcement channels have threads of their own type; voice channels and categories have none. */
const threadTypeFor = (channel: Channel, type: number): number => {
  if (channel.type === ChannelType.Announcement) return ANNOUNCEMENT_THREAD;
  if (channel.type === ChannelType.Text && type !== ANNOUNCEMENT_THREAD) return type;
  throw new ApiError(400, 50024, 'Cannot execute action on this channel type');
};

const addCreatedNotice = ({ world }: Platform, guild: Guild, thread: Thread) =>
  addMessage(
    guild,
    newMessage({
      id: world.nextId(),
      channel_id: thread.parent_id,
      author_id: thread.owner_id,
      content: thread.name,
      type: THREAD_CREATED_TYPE,
      message_reference: { type: 0, channel_id: thread.id, guild_id: guild.id },
    }),
  );
