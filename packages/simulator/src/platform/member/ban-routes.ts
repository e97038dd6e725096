import { z } from 'zod';
import { announce, byCaller, byNobody } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import type { Guild } from '../guild/guild.ts';
import { outranksMember, Permission } from '../guild/permissions.ts';
import { presentBan } from '../guild/present.ts';
import { channelsNaming, expelMember } from '../guild/world.ts';
import { accessGuild, type GuildAccess, requireSnowflake } from '../http/access.ts';
import { ApiError, missingPermissions, unknownBan, unknownUser } from '../http/api-error.ts';
import { reasonOf } from '../http/audit-reason.ts';
import { limitField, readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { compareSnowflakes } from '../snowflakes.ts';

const pageSchema = z.object({
  limit: limitField(1000, 1000),
  before: snowflakeField.optional(),
  after: snowflakeField.optional(),
});

const banSchema = z.object({
  delete_message_seconds: z.int().min(0).max(604_800).nullish(),
  delete_message_days: z.int().min(0).max(7).nullish(),
});

export const mountBanRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/bans', (c) => {
    const { guild } = accessGuild(platform, c, Permission.BanMembers);
    const page = pageOfBans(guild, readQuery(c, pageSchema));
    return c.json(page.map((id) => presentBan(identities, id, findBan(guild, id))));
  });
  app.get('/guilds/:guild/bans/:user', (c) => {
    const { guild } = accessGuild(platform, c, Permission.BanMembers);
    const id = c.req.param('user');
    return c.json(presentBan(identities, id, findBan(guild, id)));
  });
  app.put('/guilds/:guild/bans/:user', (c) => banUser(platform, c, requireSnowflake(c, 'user')));
  app.post('/guilds/:guild/bulk-ban', (c) => banUsers(platform, c));
  app.delete('/guilds/:guild/bans/:user', (c) => {
    const { guild } = accessGuild(platform, c, Permission.BanMembers);
    const watched = watch(guild, ['bans', c.req.param('user')]);
    if (!guild.bans.delete(c.req.param('user'))) throw unknownBan();
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

const findBan = (guild: Guild, userId: string) => {
  const ban = guild.bans.get(userId);
  if (!ban) throw unknownBan();
  return ban;
};

/** Ordered by user id. `before` selects the page that ends there, and wins over `after`. */
const pageOfBans = (guild: Guild, { limit, before, after }: z.output<typeof pageSchema>) => {
  const ids = [...guild.bans.keys()].sort(compareSnowflakes);
  if (before) return ids.filter((id) => compareSnowflakes(id, before) < 0).slice(-limit);
  return ids.filter((id) => !after || compareSnowflakes(id, after) > 0).slice(0, limit);
};

const banUser = async (platform: Platform, c: PlatformContext, userId: string) => {
  const access = accessGuild(platform, c, Permission.BanMembers);
  await readBody(c, banSchema);
  applyBan(platform, c, access, userId);
  return c.body(null, 204);
};

const bulkSchema = banSchema.extend({ user_ids: z.array(snowflakeField).min(1).max(200) });

const banUsers = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.BanMembers, Permission.ManageGuild);
  const { user_ids } = await readBody(c, bulkSchema);
  const banned = user_ids.filter((userId) => {
    if (access.guild.bans.has(userId)) return false;
    try {
      applyBan(platform, c, access, userId);
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  });
  if (banned.length === 0) throw new ApiError(400, 500_000, 'Failed to ban users');
  const failed = user_ids.filter((userId) => !banned.includes(userId));
  return c.json({ banned_users: banned, failed_users: failed });
};

const applyBan = (
  platform: Platform,
  c: PlatformContext,
  { guild, self }: GuildAccess,
  userId: string,
) => {
  const user = platform.identities.findUser(userId);
  if (!user || user.isUnknown) throw unknownUser();
  const member = guild.members.get(userId);
  if (member && !outranksMember(guild, self, member)) throw missingPermissions();
  const watched = watch(guild, ['bans', userId]);
  const named = each(channelsNaming(guild, userId));
  const alongside = watch(guild, ['members', userId], 'roles', ...named);
  if (!guild.bans.has(userId)) guild.bans.set(userId, { reason: reasonOf(c) });
  expelMember(guild, userId);
  announce(platform, byCaller(c), watched);
  announce(platform, byNobody(c), alongside);
};
