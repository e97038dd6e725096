import { AuditLogEvent, GatewayDispatchEvents } from 'discord-api-types/v10';
import { z } from 'zod';
import { openNumber, orNull, permissionBits } from '../shapes/open.ts';
import type { AuditAction, GuildEvent } from './events.ts';

const id = z.string().regex(/^\d{1,20}$/);
const inGuild = { guild_id: id };
const role = z.object({ id, managed: z.boolean(), permissions: permissionBits });
const longestName = 100;
/** As the platform limits it, and without what the database refuses. */
const shortName = z
  .string()
  .transform((text) => [...text.slice(0, 4 * longestName)].slice(0, longestName).join(''))
  .transform((text) => text.replaceAll('\0', ''));
/** One of another form is not shown; what the guild has counts all the same. */
const iconHash = z.unknown().transform((icon) => {
  const { data } = z
    .string()
    .regex(/^\w{1,64}$/)
    .safeParse(icon);
  return data ?? null;
});
const face = { id, name: shortName, icon: iconHash.optional(), owner_id: id };
const mostMembers = 2 ** 31 - 1;
const user = z.object({ id, bot: z.boolean().optional() });

const availableGuild = z.object({
  ...face,
  member_count: z
    .int()
    .min(0)
    .transform((count) => Math.min(count, mostMembers)),
  channels: z.array(z.object({ id })),
  roles: z.array(role),
});
/** While the platform itself has trouble with a guild it is unavailable, and nothing is known of it. */
const unavailableGuild = z.object({ id, unavailable: z.literal(true) });
const member = z.object({
  ...inGuild,
  user,
  roles: z.array(id),
  nick: orNull(shortName),
  joined_at: orNull(shortName),
});
const auditEntry = z.object({
  ...inGuild,
  id,
  action_type: openNumber<AuditLogEvent>(),
  user_id: orNull(id),
  target_id: orNull(z.string()),
});

const translator =
  <Shape extends z.ZodType>(shape: Shape, eventsOf: (data: z.output<Shape>) => GuildEvent[]) =>
  (data: unknown): GuildEvent[] =>
    eventsOf(shape.parse(data));

type Face = { id: string; name: string; icon?: string | null; owner_id: string };
const faceOf = (guild: Face) => ({
  guildId: guild.id,
  name: guild.name,
  iconHash: guild.icon ?? null,
  ownerId: guild.owner_id,
});

const roleOf = ({ managed, ...rest }: z.output<typeof role>) => ({ ...rest, isManaged: managed });

const channelEvent = (kind: 'channelCreated' | 'channelChanged' | 'channelDeleted') =>
  translator(z.object({ ...inGuild, id }), (channel) => [
    { kind, guildId: channel.guild_id, channelId: channel.id },
  ]);

const roleEvent = (kind: 'roleCreated' | 'roleChanged') =>
  translator(z.object({ ...inGuild, role }), (data) => [
    { kind, guildId: data.guild_id, role: roleOf(data.role) },
  ]);

const memberEvent = (kind: 'memberJoined' | 'memberChanged') =>
  translator(member, (data) => [
    {
      kind,
      guildId: data.guild_id,
      userId: data.user.id,
      isBot: data.user.bot ?? false,
      roleIds: data.roles,
      nick: data.nick,
      joinedAt: data.joined_at,
    },
  ]);

const translators = new Map<string, (data: unknown) => GuildEvent[]>([
  [
    GatewayDispatchEvents.GuildCreate,
    translator(z.union([unavailableGuild, availableGuild]), (guild) =>
      'unavailable' in guild
        ? []
        : [
            {
              kind: 'guildAvailable',
              ...faceOf(guild),
              memberCount: guild.member_count,
              channelIds: guild.channels.map((channel) => channel.id),
              roles: guild.roles.map(roleOf),
            },
          ],
    ),
  ],
  [
    GatewayDispatchEvents.GuildUpdate,
    translator(z.object(face), (guild) => [{ kind: 'guildChanged', ...faceOf(guild) }]),
  ],
  [
    GatewayDispatchEvents.GuildDelete,
    translator(z.object({ id, unavailable: z.boolean().optional() }), (guild) =>
      guild.unavailable ? [] : [{ kind: 'guildGone', guildId: guild.id }],
    ),
  ],
  [GatewayDispatchEvents.ChannelCreate, channelEvent('channelCreated')],
  [GatewayDispatchEvents.ChannelUpdate, channelEvent('channelChanged')],
  [GatewayDispatchEvents.ChannelDelete, channelEvent('channelDeleted')],
  [GatewayDispatchEvents.GuildRoleCreate, roleEvent('roleCreated')],
  [GatewayDispatchEvents.GuildRoleUpdate, roleEvent('roleChanged')],
  [
    GatewayDispatchEvents.GuildRoleDelete,
    translator(z.object({ ...inGuild, role_id: id }), (data) => [
      { kind: 'roleDeleted', guildId: data.guild_id, roleId: data.role_id },
    ]),
  ],
  [GatewayDispatchEvents.GuildMemberAdd, memberEvent('memberJoined')],
  [GatewayDispatchEvents.GuildMemberUpdate, memberEvent('memberChanged')],
  [
    GatewayDispatchEvents.GuildMemberRemove,
    translator(z.object({ ...inGuild, user }), (data) => [
      { kind: 'memberLeft', guildId: data.guild_id, userId: data.user.id },
    ]),
  ],
  [
    GatewayDispatchEvents.GuildAuditLogEntryCreate,
    translator(auditEntry, (entry) => [
      {
        kind: 'auditEntry',
        guildId: entry.guild_id,
        entryId: entry.id,
        action: auditActions.get(entry.action_type) ?? 'other',
        executorId: entry.user_id,
        targetId: entry.target_id,
      },
    ]),
  ],
]);

const auditActions = new Map<AuditLogEvent, AuditAction>([
  [AuditLogEvent.GuildUpdate, 'guildChanged'],
  [AuditLogEvent.ChannelCreate, 'channelCreated'],
  [AuditLogEvent.ChannelUpdate, 'channelChanged'],
  [AuditLogEvent.ChannelOverwriteCreate, 'channelChanged'],
  [AuditLogEvent.ChannelOverwriteUpdate, 'channelChanged'],
  [AuditLogEvent.ChannelOverwriteDelete, 'channelChanged'],
  [AuditLogEvent.ChannelDelete, 'channelDeleted'],
  [AuditLogEvent.RoleCreate, 'roleCreated'],
  [AuditLogEvent.RoleUpdate, 'roleChanged'],
  [AuditLogEvent.RoleDelete, 'roleDeleted'],
  [AuditLogEvent.MemberKick, 'memberKicked'],
  [AuditLogEvent.MemberPrune, 'membersPruned'],
  [AuditLogEvent.MemberBanAdd, 'memberBanned'],
  [AuditLogEvent.MemberBanRemove, 'memberUnbanned'],
  [AuditLogEvent.MemberRoleUpdate, 'memberRolesChanged'],
  [AuditLogEvent.BotAdd, 'botAdded'],
  [AuditLogEvent.WebhookCreate, 'webhookCreated'],
  [AuditLogEvent.WebhookDelete, 'webhookDeleted'],
]);

/** Throws a `ZodError` where the message is not as documented. */
export const eventsOfDispatch = (type: string, data: unknown): GuildEvent[] =>
  translators.get(type)?.(data) ?? [];
