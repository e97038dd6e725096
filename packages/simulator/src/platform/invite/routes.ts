import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Guild, Invite } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { findRole, requireManageable } from '../guild/role-routes.ts';
import { removeInvite } from '../guild/world.ts';
import {
  accessChannel,
  accessGuild,
  type ChannelAccess,
  requirePermissions,
} from '../http/access.ts';
import { invalidRole, limitReached } from '../http/api-error.ts';
import { parseForm, readBody, readFormData, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { accessInvite, findInvite, listInvites } from './invites.ts';
import { presentInvite } from './present.ts';
import { mountTargetUserRoutes, readTargetUsers } from './target-users.ts';

const MAX_INVITES = 1000;
const MAX_AGE_S = 5_184_000;

/** In a form without `payload_json` every field is text, and a list is parted by commas. */
const number = (maximum: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value !== '' ? Number(value) : value),
    z.int().min(0).max(maximum).nullish(),
  );
const flag = z.preprocess(
  (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
  z.boolean().nullish(),
);

const inviteSchema = z.object({
  max_age: number(MAX_AGE_S),
  max_uses: number(100),
  temporary: flag,
  unique: flag,
  role_ids: z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value),
    z.array(snowflakeField).max(250).nullish(),
  ),
});

export const mountInviteRoutes = (app: PlatformApp, platform: Platform) => {
  const presentAll = (guild: Guild, isWanted: (invite: Invite) => boolean = () => true) =>
    listInvites(guild)
      .filter(isWanted)
      .map((invite) => presentInvite(platform.identities, guild, invite));
  app.get('/guilds/:guild/invites', (c) =>
    c.json(presentAll(accessGuild(platform, c, Permission.ManageGuild).guild)),
  );
  app.get('/channels/:channel/invites', (c) => {
    const { guild, channel } = accessChannel(platform, c, Permission.ManageChannels);
    return c.json(presentAll(guild, ({ channel_id }) => channel_id === channel.id));
  });
  app.post('/channels/:channel/invites', (c) => createInvite(platform, c));
  app.get('/invites/:code', (c) => {
    const { guild, invite } = findInvite(platform, c.req.param('code'));
    return c.json(presentInvite(platform.identities, guild, invite));
  });
  app.delete('/invites/:code', (c) => {
    const { guild, invite } = accessInvite(platform, c, Permission.ManageChannels);
    const watched = watch(guild, ['invites', invite.code]);
    removeInvite(platform.world, guild, invite.code);
    announce(platform, byCaller(c), watched);
    return c.json(presentInvite(platform.identities, guild, invite));
  });
  mountTargetUserRoutes(app, platform);
};

const createInvite = async (platform: Platform, c: PlatformContext) => {
  const access = accessChannel(platform, c, Permission.CreateInvite);
  const { guild } = access;
  const fields = await readInviteFields(c);
  if (fields.role_ids?.length) requireGivable(access, fields.role_ids);
  const userIds = await readTargetUsers(c);
  const invite = newInvite(platform, access, fields, userIds);
  const same =
    fields.unique || userIds || fields.role_ids?.length ? undefined : findSame(guild, invite);
  const watched = watch(guild, ['invites', invite.code]);
  if (!same) addInvite(platform, guild, invite);
  announce(platform, byCaller(c), watched);
  return c.json(presentInvite(platform.identities, guild, same ?? invite));
};

type InviteFields = z.output<typeof inviteSchema>;

const readInviteFields = async (c: PlatformContext): Promise<InviteFields> => {
  const isForm = c.req.header('content-type')?.startsWith('multipart/form-data');
  const form = isForm ? await readFormData(c) : undefined;
  if (!form || form.has('payload_json')) return readBody(c, inviteSchema);
  return parseForm(inviteSchema, Object.fromEntries(form));
};

/** Who joins gets these roles, so the bot must be able to give them. */
const requireGivable = (access: ChannelAccess, roleIds: string[]) => {
  requirePermissions(access.permissions, Permission.ManageRoles);
  for (const roleId of roleIds) {
    const role = findRole(access.guild, roleId);
    if (role.managed || role.id === access.guild.id) throw invalidRole();
    requireManageable(access, role);
  }
};

const newInvite = (
  { world }: Platform,
  { bot, channel }: ChannelAccess,
  fields: InviteFields,
  userIds: string[] | undefined,
): Invite => ({
  code: BigInt(world.nextId()).toString(36).slice(-10),
  channel_id: channel.id,
  inviter_id: bot.id,
  max_age: fields.max_age ?? 86_400,
  max_uses: fields.max_uses ?? 0,
  temporary: fields.temporary ?? false,
  uses: 0,
  created_at: new Date().toISOString(),
  role_ids: [...new Set(fields.role_ids ?? [])],
  target_user_ids: userIds ?? null,
});

/** Unless a unique one is asked for, an invite like it is given again. */
const findSame = (guild: Guild, wanted: Invite): Invite | undefined =>
  listInvites(guild).find(
    (invite) =>
      invite.role_ids.length === 0 &&
      invite.target_user_ids === null &&
      (['channel_id', 'inviter_id', 'max_age', 'max_uses', 'temporary'] as const).every(
        (field) => invite[field] === wanted[field],
      ),
  );

const addInvite = ({ world }: Platform, guild: Guild, invite: Invite) => {
  if (guild.invites.size >= MAX_INVITES) throw limitReached(30016, 'invites', MAX_INVITES);
  guild.invites.set(invite.code, invite);
  world.indexId(invite.code, guild);
};
