import { z } from 'zod';
import { demandBot, openChannel, openGuild } from './access.ts';
import { missingPermissions, unknownInvite } from './api-error.ts';
import type { Guild, Invite } from './guild-state.ts';
import { computeGuildPermissions, hasPermission, Permission } from './permissions.ts';
import type { Platform, PlatformApp, PlatformContext } from './platform.ts';
import { presentInvite } from './present.ts';
import { readBody } from './read-body.ts';
import { removeInvite } from './world.ts';

const inviteSchema = z.object({
  max_age: z.int().min(0).max(604_800).default(86_400),
  max_uses: z.int().min(0).max(100).default(0),
  temporary: z.boolean().default(false),
  unique: z.boolean().default(false),
});

export const mountInviteRoutes = (app: PlatformApp, platform: Platform) => {
  const { identities } = platform;
  app.get('/guilds/:guild/invites', (c) => {
    const { guild } = openGuild(platform, c, Permission.ManageGuild);
    return c.json(
      [...guild.invites.values()].map((invite) => presentInvite(identities, guild, invite)),
    );
  });
  app.get('/channels/:channel/invites', (c) => {
    const { guild, channel } = openChannel(platform, c, Permission.ManageChannels);
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
    const self = guild.members.get(demandBot(c).id);
    const granted = self ? computeGuildPermissions(guild, self) : 0n;
    if (!hasPermission(granted, Permission.ManageGuild)) throw missingPermissions();
    removeInvite(platform.world, guild, invite.code);
    return c.json(presentInvite(identities, guild, invite));
  });
};

const createInvite = async (platform: Platform, c: PlatformContext) => {
  const { world, identities } = platform;
  const { guild, channel, bot } = openChannel(platform, c, Permission.CreateInvite);
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
  world.house(invite.code, guild);
  return c.json(presentInvite(identities, guild, invite));
};

const findInvite = ({ world }: Platform, code: string): { guild: Guild; invite: Invite } => {
  const guild = world.homeOf(code);
  const invite = guild?.invites.get(code);
  if (!guild || !invite) throw unknownInvite();
  return { guild, invite };
};
