import { z } from 'zod';
import type { Channel, Guild, Overwrite } from '../guild/guild.ts';
import { ALL_PERMISSIONS, canEveryone, hasPermission, Permission } from '../guild/permissions.ts';
import {
  accessChannel,
  type ChannelAccess,
  type GuildAccess,
  requireSnowflake,
} from '../http/access.ts';
import {
  invalidField,
  limitReached,
  missingPermissions,
  onboardingMustBeReadable,
  unknownOverwrite,
} from '../http/api-error.ts';
import { permissionsField, readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { changeChannel } from './following.ts';

const MAX_OVERWRITES = 1000;

const bitsField = permissionsField
  .nullish()
  .transform((bits) => (BigInt(bits ?? 0) & ALL_PERMISSIONS).toString());

/** Older clients send the type as a word. */
const typeField = z
  .union([z.literal([0, 1]), z.enum(['0', '1', 'role', 'member'])])
  .transform((type): 0 | 1 => (type === 1 || type === '1' || type === 'member' ? 1 : 0));

export const overwriteSchema = z.object({
  id: snowflakeField,
  type: typeField.default(0),
  allow: bitsField,
  deny: bitsField,
});

const putSchema = overwriteSchema.omit({ id: true });

export const mountOverwriteRoutes = (app: PlatformApp, platform: Platform) => {
  app.put('/channels/:channel/permissions/:overwrite', async (c) => {
    const access = accessChannel(platform, c, Permission.ManageRoles);
    const fields = await readBody(c, putSchema);
    const overwrite = { id: requireSnowflake(c, 'overwrite'), ...fields };
    const permission_overwrites = withOverwrite(access, overwrite);
    changeChannel(platform, c, access.guild, access.channel, { permission_overwrites });
    return c.body(null, 204);
  });
  app.delete('/channels/:channel/permissions/:overwrite', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageRoles);
    const id = c.req.param('overwrite');
    const others = channel.permission_overwrites.filter((overwrite) => overwrite.id !== id);
    if (others.length === channel.permission_overwrites.length) throw unknownOverwrite();
    changeChannel(platform, c, guild, channel, { permission_overwrites: others });
    return c.body(null, 204);
  });
};

const withOverwrite = (access: ChannelAccess, overwrite: Overwrite): Overwrite[] => {
  const { channel, guild } = access;
  if (overwrite.type === 1 && !guild.roles.has(overwrite.id) && !guild.members.has(overwrite.id)) {
    throw unknownOverwrite();
  }
  requireOverwritesAllowed(access, channel.permission_overwrites, [overwrite]);
  const others = channel.permission_overwrites.filter(({ id }) => id !== overwrite.id);
  if (others.length >= MAX_OVERWRITES) {
    throw limitReached(30060, 'permission overwrites', MAX_OVERWRITES);
  }
  requireOnboardingReadable(guild, channel, [...others, overwrite]);
  return [...others, overwrite];
};

/** A channel that newcomers are shown cannot be hidden from them. */
export const requireOnboardingReadable = (
  guild: Guild,
  channel: Channel,
  permission_overwrites: Overwrite[],
) => {
  const { enabled, default_channel_ids } = guild.onboarding;
  if (!enabled || !default_channel_ids.includes(channel.id)) return;
  const changed = { ...channel, permission_overwrites };
  if (!canEveryone(guild, changed, Permission.ViewChannel)) throw onboardingMustBeReadable();
};

/** A bot can allow or deny only permissions that it has itself; bits that do not change may stay. */
export const requireOverwritesAllowed = (
  { guild, permissions }: GuildAccess,
  current: Overwrite[],
  target: Overwrite[],
) => {
  const currentById = new Map(current.map((overwrite) => [overwrite.id, overwrite]));
  for (const overwrite of target) {
    requireTarget(guild, overwrite);
    const old = currentById.get(overwrite.id);
    const changed =
      (BigInt(overwrite.allow) ^ BigInt(old?.allow ?? 0)) |
      (BigInt(overwrite.deny) ^ BigInt(old?.deny ?? 0));
    if (!hasPermission(permissions, changed)) throw missingPermissions();
  }
};

/** A list may name users who are no members; the overwrite that is put alone may not. */
const requireTarget = (guild: Guild, overwrite: Overwrite) => {
  if (overwrite.type === 1 && guild.roles.has(overwrite.id)) {
    throw invalidField(['type'], 'BASE_TYPE_BAD', 'The id is that of a role.');
  }
  if (overwrite.type === 0 && !guild.roles.has(overwrite.id)) throw unknownOverwrite();
};
