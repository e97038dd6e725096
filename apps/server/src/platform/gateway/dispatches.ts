import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { z } from 'zod';
import { auditLogEntry } from '../shapes/audit-log.ts';
import { orNull, permissionBits } from '../shapes/open.ts';
import { auditEntryOf } from '../translate/audit-log.ts';
import type { GuildEvent } from './events.ts';

const id = z.string().regex(/^\d{1,20}$/);
const inGuild = { guild_id: id };
const role = z.object({
  ...{ id, managed: z.boolean(), permissions: permissionBits },
  position: z.int(),
});
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
  user: user.extend({ username: orNull(shortName), avatar: z.unknown().optional() }),
  roles: z.array(id),
  nick: orNull(shortName),
  joined_at: orNull(shortName),
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

const changedChannel = z.object({
  ...inGuild,
  id,
  parent_id: orNull(id),
  position: orNull(z.int()),
});

const channelEvent = (kind: 'channelCreated' | 'channelDeleted') =>
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
      username: data.user.username,
      hasPicture: data.user.avatar !== null,
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
  [
    GatewayDispatchEvents.ChannelUpdate,
    translator(changedChannel, ({ guild_id, parent_id, ...channel }) => [
      {
        ...{ kind: 'channelChanged', guildId: guild_id, channelId: channel.id },
        ...{ parentId: parent_id, position: channel.position },
      },
    ]),
  ],
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
    translator(auditLogEntry.extend(inGuild), ({ guild_id, ...entry }) => [
      { kind: 'auditEntry', ...auditEntryOf(guild_id, entry) },
    ]),
  ],
]);

/** Throws a `ZodError` where the message is not as documented. */
export const eventsOfDispatch = (type: string, data: unknown): GuildEvent[] =>
  translators.get(type)?.(data) ?? [];
