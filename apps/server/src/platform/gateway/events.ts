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
  | { kind: 'channelCreated' | 'channelDeleted'; guildId: string; channelId: string }
  | {
      kind: 'channelChanged';
      guildId: string;
      channelId: string;
      parentId: string | null;
      /** Null where the platform does not say. */
      position: number | null;
    }
  | { kind: 'roleCreated' | 'roleChanged'; guildId: string; role: GuildRole }
  | { kind: 'roleDeleted'; guildId: string; roleId: string }
  | ({ kind: 'memberJoined' | 'memberChanged' } & SeenMember)
  | { kind: 'memberLeft'; guildId: string; userId: string }
  | ({ kind: 'auditEntry' } & AuditLogEntry);

type GuildFace = { guildId: string; name: string; iconHash: string | null; ownerId: string };

type GuildRole = { id: string; isManaged: boolean; permissions: string; position: number };

type SeenMember = {
  guildId: string;
  userId: string;
  isBot: boolean;
  /** Null where the platform does not say. */
  username: string | null;
  /** False only where the platform says that they have none of their own. */
  hasPicture: boolean;
  roleIds: string[];
  nick: string | null;
  /** Since when they are there; null where the platform does not say. */
  joinedAt: string | null;
};

/** Who did what, as the guild's audit log has it. Moves of channels and roles are not in it. */
export type AuditLogEntry = {
  guildId: string;
  entryId: string;
  action: AuditAction;
  /** Null where the platform names nobody. */
  executorId: string | null;
  targetId: string | null;
  /** Those that are too large are left out: a change that is missing says nothing. */
  changes: AuditChange[];
  /** Each only where the platform names it. */
  options: {
    count?: number;
    channelId?: string;
    /** The role or the member whose overwrite of the channel (the target) it is. */
    subjectId?: string;
    subjectKind?: 'role' | 'member';
    /** Of a prune: how many went, and since when they were not there. */
    membersRemoved?: number;
    inactiveDays?: number;
  };
  reason: string | null;
};

/**
 * A field by the platform's own name; null where it was or is not set. Roles of a member are `$add` and
 * `$remove`, each with the list `{ id }[]` in `after`.
 */
export type AuditChange = { key: string; before: unknown; after: unknown };

type CreatedChangedDeleted =
  | 'channel'
  | 'overwrite'
  | 'role'
  | 'invite'
  | 'webhook'
  | 'emoji'
  | 'sticker'
  | 'integration'
  | 'stage'
  | 'event'
  | 'thread'
  | 'sound'
  | 'automod'
  | 'onboardingPrompt';

/** Everything that the platform documents an entry for. */
export type AuditAction =
  | 'guildChanged'
  | `${CreatedChangedDeleted}${'Created' | 'Changed' | 'Deleted'}`
  | 'memberKicked'
  | 'membersPruned'
  | 'memberBanned'
  | 'memberUnbanned'
  | 'memberChanged'
  | 'memberRolesChanged'
  | 'memberMoved'
  | 'memberDisconnected'
  | 'botAdded'
  | 'messageDeleted'
  | 'messagesDeleted'
  | 'messagePinned'
  | 'messageUnpinned'
  | 'commandPermissionsChanged'
  | 'onboardingCreated'
  | 'onboardingChanged'
  | 'serverGuideCreated'
  | 'serverGuideChanged'
  | 'voiceStatusSet'
  | 'voiceStatusCleared'
  /** What the platform's own rules did. */
  | 'ruleApplied'
  | 'monetizationChanged'
  /** What is younger than this list. */
  | 'other';
