import { z } from 'zod';
import type { Guild, Invite } from '../guild/guild.ts';
import { computeGuildPermissions, hasPermission, Permission } from '../guild/permissions.ts';
import { presentInvite } from '../guild/present.ts';
import { findRole, requireManageable } from '../guild/role-routes.ts';
import { removeInvite } from '../guild/world.ts';
import { accessChannel, accessGuild, requireBot, requirePermissions } from '../http/access.ts';
import { ApiError, missingPermissions, unknownInvite } from '../http/api-error.ts';
import { parseForm, readBody, readFormData, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const inviteSchema = z.object({
  max_age: z.int().min(0).max(5_184_000).default(86_400),
  max_uses: z.int().min(0).max(100).default(0),
  temporary: z.boolean().default(false),
  unique: z.boolean().default(false),
  role_ids: z.array(snowflakeField).max(250).nullish(),
});

export const mountInviteRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/invites', (c) => {
    const { guild } = accessGuild(platform, c, Permission.ManageGuild);
    return c.json(
      [...guild.invites.values()].map((invite) => presentInvite(identities, guild, invite)),
    );
  });
  app.get('/channels/:channel/invites', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageChannels);
    const invites = [...guild.invites.values()].filter((one) => one.channel_id === channel.id);
    return c.json(invites.map((invite) => presentInvite(identities, guild, invite)));
  });
  app.post('/channels/:channel/invites', (c) => createInvite(platform, c));
  app.get('/invites/:code', (c) => {
    const { guild, invite } = findInvite(platform, c.req.param('code'));
    return c.json(presentInvite(identities, guild, invite));
  });
  app.get('/invites/:code/target-users', (c) => {
    const { invite } = requireOwnInvite(platform, c);
    const lines = ['user_id', ...(invite.target_user_ids ?? [])];
    return c.text(`${lines.join('\n')}\n`, 200, { 'Content-Type': 'text/csv' });
  });
  app.put('/invites/:code/target-users', async (c) => {
    const { invite } = requireOwnInvite(platform, c);
    const userIds = await readTargetUsers(c);
    if (!userIds) throw new ApiError(400, 50035, 'Invalid Form Body');
    invite.target_user_ids = userIds;
    return c.body(null, 204);
  });
  app.delete('/invites/:code', (c) => {
    const { guild, invite } = findInvite(platform, c.req.param('code'));
    const self = guild.members.get(requireBot(c).id);
    const granted = self ? computeGuildPermissions(guild, self) : 0n;
    if (!hasPermission(granted, Permission.ManageGuild)) throw missingPermissions();
    removeInvite(platform.world, guild, invite.code);
    return c.json(presentInvite(identities, guild, invite));
  });
};

const createInvite = async (platform: Platform, c: PlatformContext) => {
  const { world, identities } = platform;
  const access = accessChannel(platform, c, Permission.CreateInvite);
  const { guild, channel, bot } = access;
  const { max_age, max_uses, temporary, role_ids } = await readBody(c, inviteSchema);
  const roleIds = role_ids ?? [];
  if (roleIds.length > 0) requirePermissions(access.permissions, Permission.ManageRoles);
  for (const id of roleIds) requireManageable(access, findRole(guild, id));
  const invite: Invite = {
    code: BigInt(world.nextId()).toString(36).slice(-10),
    channel_id: channel.id,
    inviter_id: bot.id,
    max_age,
    max_uses,
    temporary,
    uses: 0,
    created_at: new Date().toISOString(),
    role_ids: roleIds,
    target_user_ids: await readTargetUsers(c),
  };
  guild.invites.set(invite.code, invite);
  world.indexId(invite.code, guild);
  return c.json(presentInvite(identities, guild, invite));
};

/** A file with one user id in each line; null where there is none. */
const readTargetUsers = async (c: PlatformContext): Promise<string[] | null> => {
  if (!c.req.header('content-type')?.startsWith('multipart/form-data')) return null;
  const file = (await readFormData(c)).get('target_users_file');
  if (file === null) return null;
  const text = typeof file === 'string' ? file : await file.text();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return parseForm(z.array(snowflakeField), lines[0] === 'user_id' ? lines.slice(1) : lines);
};

/** Who may see and change for whom an invite is: its maker, or who manages the guild. */
const requireOwnInvite = (platform: Platform, c: PlatformContext) => {
  const found = findInvite(platform, c.req.param('code') ?? '');
  const bot = requireBot(c);
  const self = found.guild.members.get(bot.id);
  const granted = self ? computeGuildPermissions(found.guild, self) : 0n;
  const isOwn = found.invite.inviter_id === bot.id;
  if (!isOwn && !hasPermission(granted, Permission.ManageGuild)) throw missingPermissions();
  return found;
};

const findInvite = ({ world }: Platform, code: string): { guild: Guild; invite: Invite } => {
  const guild = world.guildOf(code);
  const invite = guild?.invites.get(code);
  if (!guild || !invite) throw unknownInvite();
  return { guild, invite };
};
