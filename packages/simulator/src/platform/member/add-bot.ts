import { z } from 'zod';
import { announce, byUser } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { withBody } from '../control/guard.ts';
import { computeGuildPermissions, hasPermission, Permission } from '../guild/permissions.ts';
import { ApiError, missingAccess, missingPermissions, unknownGuild } from '../http/api-error.ts';
import { permissionsField } from '../http/read-body.ts';
import type { IdentityStore } from '../identity/identities.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { snowflake } from '../snowflakes.ts';
import { placeBot } from './join-bot.ts';

const additionSchema = z.strictObject({
  botId: snowflake,
  name: z.string().min(1).max(100).optional(),
  /** Who adds it, in their own client. */
  byUserId: snowflake,
  permissions: permissionsField.default(Permission.Administrator.toString()),
  /** The platform puts the role of a new bot below all others. */
  rolePosition: z.int().min(1).default(1),
});

/**
 * Part of the control API: a person adds a bot in their own client. It is an act of theirs, with their
 * entry in the audit log, and refused as the platform refuses it.
 */
export const mountAddBotControl = (
  app: PlatformApp,
  platform: Platform & { identities: IdentityStore },
) => {
  app.post('/__sim/guilds/:id/bots', (c) =>
    withBody(additionSchema, (addition) => {
      try {
        return c.json(addBot(platform, c, c.req.param('id'), addition), 201);
      } catch (error) {
        if (error instanceof ApiError) return c.json(error.body, error.status);
        throw error;
      }
    })(c),
  );
};

const addBot = (
  platform: Platform & { identities: IdentityStore },
  c: PlatformContext,
  guildId: string,
  { botId, name, byUserId, permissions, rolePosition }: z.output<typeof additionSchema>,
) => {
  const guild = platform.world.findGuild(guildId);
  if (!guild) throw unknownGuild();
  const adder = guild.members.get(byUserId);
  if (!adder) throw missingAccess();
  const powers = computeGuildPermissions(guild, adder);
  if (!hasPermission(powers, Permission.ManageGuild)) throw missingPermissions();
  if (guild.bans.has(botId)) throw new ApiError(403, 40007, 'The user is banned from this guild.');
  const bot = platform.identities.putApplication(botId, name === undefined ? {} : { name });
  const before = guild.members.get(botId);
  if (before) return { guildId, botId, roles: before.roles };
  const watched = watch(guild, ['members', botId], 'roles');
  // Nobody gives a bot more than they have.
  const granted = (BigInt(permissions) & powers).toString();
  const { roles } = placeBot(platform, guild, bot, { permissions: granted, rolePosition });
  announce(platform, byUser(c, byUserId), watched);
  platform.world.reportChange();
  return { guildId, botId, roles };
};
