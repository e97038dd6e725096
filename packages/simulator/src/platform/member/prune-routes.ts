import { z } from 'zod';
import { announce, byCaller, byNobody, writeAudit } from '../announce/announce.ts';
import { each, watch } from '../announce/watch.ts';
import type { Guild } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { channelsNaming, expelMember } from '../guild/world.ts';
import { accessGuild } from '../http/access.ts';
import { readBody, readQuery, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { timeOfSnowflake } from '../snowflakes.ts';

const DEFAULT_DAYS = 7;
const DAY_MS = 86_400_000;

const roleIds = z
  .union([z.string().transform((text) => text.split(',').filter(Boolean)), z.array(snowflakeField)])
  .nullish();
const days = z.coerce.number().int().min(1).max(30);

const countSchema = z.object({ days: days.default(DEFAULT_DAYS), include_roles: roleIds });
const pruneSchema = z.object({
  days: days.nullish(),
  compute_prune_count: z.boolean().nullish(),
  include_roles: roleIds,
});

/** People who were not there for some days and have no role are removed, all in one call. */
export const mountPruneRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/prune', (c) => {
    const guild = accessPrune(platform, c);
    const { days: inactiveDays, include_roles } = readQuery(c, countSchema);
    return c.json({
      pruned: listInactive(platform, guild, inactiveDays, include_roles ?? []).length,
    });
  });
  app.post('/guilds/:guild/prune', async (c) => {
    const guild = accessPrune(platform, c);
    const { days: asked, compute_prune_count, include_roles } = await readBody(c, pruneSchema);
    const inactiveDays = asked ?? DEFAULT_DAYS;
    const userIds = listInactive(platform, guild, inactiveDays, include_roles ?? []);
    const members = userIds.map((id): ['members', string] => ['members', id]);
    const watched = watch(guild, ...members, ...each(channelsNaming(guild, ...userIds)));
    for (const id of userIds) expelMember(guild, id);
    // One entry for all of them.
    announce(platform, byNobody(c), watched);
    const options = {
      delete_member_days: String(inactiveDays),
      members_removed: String(userIds.length),
    };
    writeAudit(platform, byCaller(c), guild, { action_type: 21, target_id: null, options });
    return c.json({ pruned: compute_prune_count === false ? null : userIds.length });
  });
};

const accessPrune = (platform: Platform, c: PlatformContext): Guild =>
  accessGuild(platform, c, Permission.KickMembers, Permission.ManageGuild).guild;

/** Who came or wrote within these days was there. */
const listInactive = (
  { identities }: Platform,
  guild: Guild,
  inactiveDays: number,
  includedRoleIds: string[],
): string[] => {
  const since = Date.now() - inactiveDays * DAY_MS;
  const writers = new Set(
    [...guild.messages.values()].flatMap((messages) =>
      [...messages.values()]
        .filter(({ id }) => timeOfSnowflake(id) >= since)
        .map(({ author_id }) => author_id),
    ),
  );
  return [...guild.members.values()]
    .filter(
      ({ user_id, roles, joined_at }) =>
        Date.parse(joined_at) < since &&
        roles.every((id) => includedRoleIds.includes(id)) &&
        !writers.has(user_id) &&
        user_id !== guild.settings.owner_id &&
        !identities.findUser(user_id)?.isBot,
    )
    .map(({ user_id }) => user_id);
};
