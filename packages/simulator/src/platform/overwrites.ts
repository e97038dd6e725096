import { z } from 'zod';
import { type ChannelAccess, demandSnowflake, type GuildAccess, openChannel } from './access.ts';
import { ApiError, limitReached, missingPermissions, unknownOverwrite } from './api-error.ts';
import type { Guild, Overwrite } from './guild-state.ts';
import { ALL_PERMISSIONS, hasPermission, Permission } from './permissions.ts';
import type { Platform, PlatformApp } from './platform.ts';
import { permissionsField, readBody, snowflakeField } from './read-body.ts';

const MAX_OVERWRITES = 1000;

const bitsField = permissionsField
  .nullish()
  .transform((bits) => (BigInt(bits ?? 0) & ALL_PERMISSIONS).toString());

/** Older clients spell the type as a word. */
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
    const access = openChannel(platform, c, Permission.ManageRoles);
    const fields = await readBody(c, putSchema);
    putOverwrite(access, { id: demandSnowflake(c, 'overwrite'), ...fields });
    return c.body(null, 204);
  });
  app.delete('/channels/:channel/permissions/:overwrite', (c) => {
    const { channel } = openChannel(platform, c, Permission.ManageRoles);
    const id = c.req.param('overwrite');
    const kept = channel.permission_overwrites.filter((overwrite) => overwrite.id !== id);
    if (kept.length === channel.permission_overwrites.length) throw unknownOverwrite();
    channel.permission_overwrites = kept;
    return c.body(null, 204);
  });
};

const putOverwrite = (access: ChannelAccess, overwrite: Overwrite) => {
  const { channel } = access;
  demandOverwritesAllowed(access, channel.permission_overwrites, [overwrite]);
  const others = channel.permission_overwrites.filter(({ id }) => id !== overwrite.id);
  if (others.length >= MAX_OVERWRITES) {
    throw limitReached(30060, 'permission overwrites', MAX_OVERWRITES);
  }
  channel.permission_overwrites = [...others, overwrite];
};

/** Only what the bot has itself can be allowed or denied; bits that were there before may stay. */
export const demandOverwritesAllowed = (
  { guild, permissions }: GuildAccess,
  before: Overwrite[],
  wanted: Overwrite[],
) => {
  const known = new Map(before.map((overwrite) => [overwrite.id, overwrite]));
  for (const overwrite of wanted) {
    demandTarget(guild, overwrite);
    const old = known.get(overwrite.id);
    const changed =
      (BigInt(overwrite.allow) ^ BigInt(old?.allow ?? 0)) |
      (BigInt(overwrite.deny) ^ BigInt(old?.deny ?? 0));
    if (!hasPermission(permissions, changed)) throw missingPermissions();
  }
};

/** A member overwrite outlives the membership, so its user need not be here. */
const demandTarget = (guild: Guild, overwrite: Overwrite) => {
  if (overwrite.type === 1 && guild.roles.has(overwrite.id)) {
    throw new ApiError(400, 50035, 'Invalid Form Body', {
      type: { _errors: [{ code: 'BASE_TYPE_BAD', message: 'The id is that of a role.' }] },
    });
  }
  if (overwrite.type === 0 && !guild.roles.has(overwrite.id)) throw unknownOverwrite();
};
