import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Thread, ThreadMember } from '../guild/conversation.ts';
import type { Guild } from '../guild/guild.ts';
import { hasPermission, Permission } from '../guild/permissions.ts';
import { presentMember } from '../guild/present.ts';
import { accessThread } from '../http/access.ts';
import { ApiError, missingPermissions, unknownMember } from '../http/api-error.ts';
import { limitField, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';
import { presentThreadMember } from './present.ts';

const listSchema = z.object({
  with_member: z.string().optional(),
  limit: limitField(100, 100),
  after: snowflakeField.default('0'),
});

export const mountThreadMemberRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/channels/:channel/thread-members';
  app.get(path, (c) => {
    const { guild, thread } = accessThread(platform, c);
    const { with_member, limit, after } = readQuery(c, listSchema);
    const withMember = with_member === 'true';
    const members = [...thread.members].sort((a, b) => compareSnowflakes(a.user_id, b.user_id));
    const page = withMember
      ? members.filter(({ user_id }) => compareSnowflakes(user_id, after) > 0).slice(0, limit)
      : members;
    return c.json(page.map((one) => present(platform, guild, thread, one, withMember)));
  });
  app.get(`${path}/:user`, (c) => {
    const { guild, thread, bot } = accessThread(platform, c);
    const member = thread.members.find(({ user_id }) => user_id === userOf(c, bot.id));
    if (!member) throw unknownMember();
    const withMember = c.req.query('with_member') === 'true';
    return c.json(present(platform, guild, thread, member, withMember));
  });
  app.put(`${path}/:user`, (c) => {
    const { guild, thread, bot, permissions } = accessThread(platform, c);
    const userId = userOf(c, bot.id);
    requireOpen(thread);
    if (userId !== bot.id && !hasPermission(permissions, Permission.SendMessagesInThreads)) {
      throw missingPermissions();
    }
    if (!guild.members.has(userId)) throw unknownMember();
    const watched = watch(guild, ['threads', thread.id]);
    if (!thread.members.some(({ user_id }) => user_id === userId)) {
      const join_timestamp = new Date().toISOString();
      thread.members.push({ user_id: userId, join_timestamp, flags: 0 });
    }
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
  app.delete(`${path}/:user`, (c) => {
    const { guild, thread, bot, permissions } = accessThread(platform, c);
    const userId = userOf(c, bot.id);
    requireOpen(thread);
    if (userId !== bot.id && !hasPermission(permissions, Permission.ManageThreads)) {
      throw missingPermissions();
    }
    const watched = watch(guild, ['threads', thread.id]);
    thread.members = thread.members.filter(({ user_id }) => user_id !== userId);
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

const userOf = (c: PlatformContext, botId: string): string => {
  const user = c.req.param('user') ?? '';
  return user === '@me' ? botId : user;
};

const requireOpen = ({ thread_metadata }: Thread) => {
  if (thread_metadata.archived) throw new ApiError(400, 50083, 'Thread is archived');
};

const present = (
  { identities }: Platform,
  guild: Guild,
  thread: Thread,
  member: ThreadMember,
  withMember: boolean,
) => {
  const guildMember = withMember ? guild.members.get(member.user_id) : undefined;
  return {
    ...presentThreadMember(thread, member),
    ...(guildMember && { member: presentMember(identities, guildMember) }),
  };
};
