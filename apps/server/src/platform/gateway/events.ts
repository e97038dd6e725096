/**
 * What happened in a guild, in our own words. Only what the product reacts to is here; everything else
 * that the platform pushes is dropped where it is translated.
 */
export type GuildEvent =
  | {
      kind: 'guildsListed';
      /** A new session has begun, and these are all guilds that the bot is in. */
      guildIds: string[];
    }
  | ({
      kind: 'guildAvailable';
      /** The whole guild: after a new session, or when the bot joined it. */
      memberCount: number;
      channelIds: string[];
      roles: GuildRole[];
    } & GuildFace)
  | ({ kind: 'guildChanged' } & GuildFace)
  | { kind: 'guildGone'; guildId: string }
  | {
      kind: 'channelCreated' | 'channelChanged' | 'channelDeleted';
      guildId: string;
      channelId: string;
    }
  | { kind: 'roleCreated' | 'roleChanged'; guildId: string; role: GuildRole }
  | { kind: 'roleDeleted'; guildId: string; roleId: string }
  | ({ kind: 'memberJoined' | 'memberChanged' } & SeenMember)
  | { kind: 'memberLeft'; guildId: string; userId: string }
  | ({ kind: 'auditEntry' } & AuditLogEntry);

type GuildFace = { guildId: string; name: string; iconHash: string | null; ownerId: string };

type GuildRole = { id: string; isManaged: boolean; permissions: string };

type SeenMember = {
  guildId: string;
  userId: string;
  isBot: boolean;
  roleIds: string[];
  nick: string | null;
  /** Since when they are there; null where the platform does not say. */
  joinedAt: string | null;
};

/** Who did what, as the guild's audit log has it. */
type AuditLogEntry = {
  guildId: string;
  entryId: string;
  action: AuditAction;
  /** Null where the platform names nobody. */
  executorId: string | null;
  targetId: string | null;
};

export type AuditAction =
  | 'guildChanged'
  | 'channelCreated'
  | 'channelChanged'
  | 'channelDeleted'
  | 'roleCreated'
  | 'roleChanged'
  | 'roleDeleted'
  | 'memberKicked'
  | 'membersPruned'
  | 'memberBanned'
  | 'memberUnbanned'
  | 'memberRolesChanged'
  | 'botAdded'
  | 'webhookCreated'
  | 'webhookDeleted'
  | 'other';
