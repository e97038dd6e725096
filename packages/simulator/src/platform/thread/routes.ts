import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Thread } from '../guild/conversation.ts';
import {
  canSeeThread,
  computeChannelPermissions,
  hasPermission,
  Permission,
} from '../guild/permissions.ts';
import { removeThread } from '../guild/world.ts';
import {
  accessChannel,
  accessGuild,
  accessThread,
  type ChannelAccess,
  type GuildAccess,
} from '../http/access.ts';
import { ApiError, missingPermissions } from '../http/api-error.ts';
import { limitField, readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import { startThread, startThreadFromMessage } from './create.ts';
import { durationField, requireTags, slowmodeField } from './fields.ts';
import { mountThreadMemberRoutes } from './member-routes.ts';
import { presentThread, presentThreadMember } from './present.ts';

const PRIVATE_THREAD = 12;

/** Before the routes of channels: threads share the paths of a single channel. */
export const mountThreadRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/threads/active', (c) => listActive(platform, c));
  app.post('/channels/:channel/messages/:message/threads', (c) =>
    startThreadFromMessage(platform, c),
  );
  app.post('/channels/:channel/threads', (c) => startThread(platform, c));
  mountArchiveRoutes(app, platform);
  mountThreadMemberRoutes(app, platform);
  const isThread = (c: PlatformContext) => {
    const id = c.req.param('channel') ?? '';
    return platform.world.guildOf(id)?.threads.has(id) ?? false;
  };
  app.get('/channels/:channel', (c, next) => {
    if (!isThread(c)) return next();
    const { guild, thread, bot } = accessThread(platform, c);
    return Promise.resolve(c.json(presentThread(guild, thread, bot.id)));
  });
  app.patch('/channels/:channel', (c, next) => (isThread(c) ? editThread(platform, c) : next()));
  app.delete('/channels/:channel', (c, next) => {
    if (!isThread(c)) return next();
    const { guild, thread } = accessThread(platform, c, Permission.ManageThreads);
    const watched = watch(guild, ['threads', thread.id]);
    removeThread(platform.world, guild, thread.id);
    announce(platform, byCaller(c), watched);
    return Promise.resolve(c.json(presentThread(guild, thread)));
  });
};

const listActive = (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c);
  const threads = [...access.guild.threads.values()].filter(
    (thread) => !thread.thread_metadata.archived && isVisible(access, thread),
  );
  return c.json(presentList(access, newestFirst(threads), threads.length));
};

const isVisible = ({ guild, self }: GuildAccess, thread: Thread): boolean => {
  const channel = guild.channels.get(thread.parent_id);
  if (!channel) return false;
  return canSeeThread(thread, self, computeChannelPermissions(guild, self, channel));
};

const newestFirst = (threads: Thread[]) => threads.sort((a, b) => compareSnowflakes(b.id, a.id));

const presentList = ({ guild, bot }: GuildAccess, threads: Thread[], limit: number) => {
  const page = threads.slice(0, limit);
  return {
    threads: page.map((thread) => presentThread(guild, thread)),
    members: page.flatMap((thread) =>
      thread.members
        .filter(({ user_id }) => user_id === bot.id)
        .map((member) => presentThreadMember(thread, member)),
    ),
    has_more: threads.length > limit,
  };
};

const limit = limitField(50, 100);
const byTimeSchema = z.object({ limit, before: z.iso.datetime({ offset: true }).optional() });
const byIdSchema = z.object({ limit, before: snowflakeField.optional() });

const mountArchiveRoutes = (app: PlatformApp, platform: Platform) => {
  const list = (c: PlatformContext, isWanted: (thread: Thread) => boolean, ...bits: bigint[]) => {
    const access = accessChannel(platform, c, Permission.ReadMessageHistory, ...bits);
    const query = readQuery(c, byTimeSchema);
    const beforeMs = query.before ? Date.parse(query.before) : Number.POSITIVE_INFINITY;
    const threads = archivedIn(access)
      .filter((thread) => isWanted(thread) && archivedAtMs(thread) < beforeMs)
      .sort((a, b) => archivedAtMs(b) - archivedAtMs(a));
    return c.json(presentList(access, threads, query.limit));
  };
  app.get('/channels/:channel/threads/archived/public', (c) =>
    list(c, ({ type }) => type !== PRIVATE_THREAD),
  );
  app.get('/channels/:channel/threads/archived/private', (c) =>
    list(c, ({ type }) => type === PRIVATE_THREAD, Permission.ManageThreads),
  );
  app.get('/channels/:channel/users/@me/threads/archived/private', (c) => {
    const access = accessChannel(platform, c, Permission.ReadMessageHistory);
    const { before, ...query } = readQuery(c, byIdSchema);
    const threads = archivedIn(access).filter(
      ({ type, id, members }) =>
        type === PRIVATE_THREAD &&
        members.some(({ user_id }) => user_id === access.bot.id) &&
        (!before || compareSnowflakes(id, before) < 0),
    );
    return c.json(presentList(access, newestFirst(threads), query.limit));
  });
};

const archivedIn = ({ guild, channel }: ChannelAccess): Thread[] =>
  [...guild.threads.values()].filter(
    (thread) => thread.parent_id === channel.id && thread.thread_metadata.archived,
  );

const archivedAtMs = ({ thread_metadata }: Thread) => Date.parse(thread_metadata.archive_timestamp);

const editSchema = z.object({
  name: z.string().min(1).max(100).nullish(),
  archived: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  invitable: z.boolean().nullish(),
  auto_archive_duration: durationField,
  rate_limit_per_user: slowmodeField,
  flags: z.int().min(0).nullish(),
  applied_tags: z.array(snowflakeField).max(5).nullish(),
});

const editThread = async (platform: Platform, c: PlatformContext) => {
  const access = accessThread(platform, c);
  const { guild, thread, channel, bot } = access;
  const change = await readBody(c, editSchema);
  requireEditable(access, change);
  if (change.applied_tags) requireTags(channel, change.applied_tags, access.permissions);
  const watched = watch(guild, ['threads', thread.id]);
  const { thread_metadata: metadata } = thread;
  if (change.archived != null && change.archived !== metadata.archived) {
    metadata.archived = change.archived;
    metadata.archive_timestamp = new Date().toISOString();
  }
  metadata.locked = change.locked ?? metadata.locked;
  metadata.auto_archive_duration = change.auto_archive_duration ?? metadata.auto_archive_duration;
  if (thread.type === PRIVATE_THREAD) {
    metadata.invitable = change.invitable ?? metadata.invitable;
  }
  thread.name = change.name ?? thread.name;
  thread.rate_limit_per_user = change.rate_limit_per_user ?? thread.rate_limit_per_user;
  thread.flags = change.flags ?? thread.flags;
  if (change.applied_tags && thread.applied_tags) thread.applied_tags = change.applied_tags;
  announce(platform, byCaller(c), watched);
  return c.json(presentThread(guild, thread, bot.id));
};

/** Who started a thread edits it, except for what only moderators decide. */
const requireEditable = (
  { thread, bot, permissions }: ChannelAccess & { thread: Thread },
  change: z.output<typeof editSchema>,
) => {
  const { archived, locked } = thread.thread_metadata;
  if (archived && change.archived !== false) {
    throw new ApiError(400, 50083, 'Thread is archived');
  }
  if (hasPermission(permissions, Permission.ManageThreads)) return;
  const isModeration = [change.locked, change.rate_limit_per_user, change.flags].some(
    (value) => value != null,
  );
  if (thread.owner_id !== bot.id || locked || isModeration) throw missingPermissions();
};
