import { z } from 'zod';
import type { Guild, Invite } from '../guild/guild.ts';
import { computeGuildPermissions, hasPermission, Permission } from '../guild/permissions.ts';
import { presentInvite } from '../guild/present.ts';
import { removeInvite } from '../guild/world.ts';
import { accessChannel, accessGuild, requireBot } from '../http/access.ts';
import { missingPermissions, unknownInvite } from '../http/api-error.ts';
import { readBody } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const inviteSchema = z.object({
  max_age: z.int().min(0).max(604_800).default(86_400),
  max_uses: z.int().min(0).max(100).default(0),
  temporary: z.boolean().default(false),
  unique: z.boolean().default(false),
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
  const { guild, channel, bot } = accessChannel(platform, c, Permission.CreateInvite);
  const { max_age, max_uses, temporary } = await readBody(c, inviteSchema);
  const invite: Invite = {
    code: BigInt(world.nextId()).toString(36).slice(-10),
    channel_id: channel.id,
    inviter_id: bot.id,
    max_age,
    max_uses,
    temporary,
    uses: 0,
    created_at: new Date().toISOString(),
  };
  guild.invites.set(invite.code, invite);
  world.indexId(invite.code, guild);
  return c.json(presentInvite(identities, guild, invite));
};

const findInvite = ({ world }: Platform, code: string): { guild: Guild; invite: Invite } => {
  const guild = world.guildOf(code);
  const invite = guild?.invites.get(code);
  if (!guild || !invite) throw unknownInvite();
  return { guild, invite };
};
