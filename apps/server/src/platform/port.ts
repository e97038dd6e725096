/**
 * The platform layer: everything that the product asks of the chat platform. This file is the port that
 * features see; `guild.ts` has the objects of a guild, `failures.ts` the failures, `permissions.ts` the
 * permission bits. `platform.ts` creates the adapter: `calls/` has one function per call of the port,
 * `client/` sends it (rate limits, retries, circuit breaker, images), `shapes/` validates the platform's
 * answers and `translate/` converts them. `oauth/` and `gateway/` have ports of their own.
 */
import type { PrivilegedIntent } from '@holdfast/contract';
import type { Secret } from '../kernel/secret.ts';
import type { ChannelActivity, ConversationPlatform } from './conversation.ts';
import type { AuditLogEntry } from './gateway/events.ts';
import type {
  Ban,
  Channel,
  Emoji,
  GuildMember,
  GuildSettings,
  Overwrite,
  Role,
  Sticker,
} from './guild.ts';
import type { LinkMessagePlatform } from './link-message.ts';
import type { Image, PartsPlatform } from './parts-port.ts';

/**
 * Every call either succeeds or throws a `PlatformFailure`; none takes longer than the wait for the bot's
 * buckets and its own time-out.
 */
export type Platform = {
  /** The same client for the same token, so that buckets and an invalid token are known to all callers. */
  bot(token: Secret): BotPlatform;
  /**
   * The bot's profile, by a single attempt, also for a token that was refused before. A success makes
   * its client usable again.
   */
  checkToken(token: Secret, options: { timeoutMs: number }): Promise<BotProfile>;
  /** The application of a bot's token, in the same way. */
  lookUpToken(token: Secret, options: { timeoutMs: number }): Promise<Application>;
  /** One image from the platform's own hosts, up to a size limit. */
  readImage(image: ImageRef, signal?: AbortSignal, options?: { isSmall?: boolean }): Promise<Image>;
  /** A file of a message, by the address that came with the message; refused elsewhere. */
  readFile(
    url: string,
    options: { largestBytes: number; signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** The URL for browsers. */
  imageUrl(image: ImageRef): string;
  /** Where a person opens an invite. */
  inviteUrl(code: string): string;
  /** Where a person adds a bot to a guild, with these permissions; to that guild, if it is named. */
  botInviteUrl(clientId: string, permissions: bigint, guildId?: string): string;
  /** Where a person sets up their applications: the list, or a page of one. */
  portalUrl(page?: { clientId: string; of: PortalPage }): string;
  /** Where a webhook's posts go: whoever knows it can post. */
  webhookUrl(webhookId: string, token: Secret): Secret;
};

export type BotPlatform = {
  readBot(options?: CallOptions): Promise<BotProfile>;
  readApplication(options?: CallOptions): Promise<Application>;
  /** Those that are switched on for the bot's application. */
  readIntents(options?: Pick<CallOptions, 'signal'>): Promise<PrivilegedIntent[]>;
  /** Where the bot connects to the gateway, and how many more sessions it may begin. */
  readGateway(options?: CallOptions): Promise<GatewayAccess>;
  /**
   * Whether the guild exists, also where the bot is not in it. Reading the guild itself does not tell:
   * the platform answers a stranger as if there were none.
   */
  guildExists(guildId: string, options?: CallOptions): Promise<boolean>;
  /** The guilds that the bot is in. */
  readGuilds(options?: CallOptions): Promise<OwnGuild[]>;
  guild(guildId: string, options?: CallOptions): GuildPlatform;
  /** The guild's messages and threads. */
  conversation(guildId: string, options?: CallOptions): ConversationPlatform;
};

/**
 * The signal aborts a call under way; `attempts` is how often it is tried (default 4). `reason` is what
 * the guild's audit log says about every change: who makes it, and in which job. A ban has its own. An
 * urgent call is sent without asking other processes first how many refusals they had.
 */
export type CallOptions = {
  signal?: AbortSignal;
  attempts?: number;
  reason?: string;
  isUrgent?: boolean;
  /** Awaited before each call; what it throws is the call's failure. */
  before?: () => Promise<void>;
};

/** `atOnce` identifies are allowed per five seconds. */
export type GatewayAccess = {
  url: string;
  identifies: { total: number; remaining: number; resetsInMs: number; atOnce: number };
};

/** A guild as the list of a bot's own guilds shows it. */
export type OwnGuild = {
  id: string;
  name: string;
  iconHash: string | null;
  memberCount: number | null;
};

export type PortalPage = 'information' | 'oauth2' | 'bot';

/** The application of a bot, as its owner has set it up. */
export type Application = {
  clientId: string;
  name: string;
  avatar: { userId: string; hash: string } | null;
  /** Verifies what the platform signs. */
  publicKey: string;
  redirectUris: string[];
  intents: PrivilegedIntent[];
  guildCount: number;
};

export type BotProfile = { userId: string; username: string; avatarHash: string | null };

/** What one call returns about a guild. */
export type Guild = {
  settings: GuildSettings;
  ownerId: string;
  memberCount: number;
  /** The level of boosts, 0 to 3; undefined where it is not known. */
  premiumTier?: number;
  widget: { isEnabled: boolean; channelId: string | null };
  vanityCode: string | null;
  /** Nobody joins by an invite until then. The time can be over. */
  invitesPausedUntil?: Date;
  roles: Role[];
  emojis: Emoji[];
  stickers: Sticker[];
};

export type GuildPlatform = PartsPlatform &
  LinkMessagePlatform & {
    read(): Promise<Guild>;
    readChannels(): Promise<Channel[]>;
    /** The same call, with what it says about messages. */
    readChannelsWithActivity(): Promise<{ channels: Channel[]; activity: ChannelActivity }>;
    /** At most a thousand, in the order of their ids, after the given one. */
    readBans(afterUserId: string): Promise<Ban[]>;
    readMembers(afterUserId: string): Promise<GuildMember[]>;
    /** The same call, with what is not part of a backup. */
    readMemberPage(afterUserId: string): Promise<{ members: CurrentMember[]; isLast: boolean }>;
    readMember(userId: string): Promise<CurrentMember>;

    /** Where the platform refuses some of them, the `fields` of its failure name these as we do. */
    editSettings(changes: SettingsChanges): Promise<void>;

    createRole(input: RoleInput): Promise<Role>;
    editRole(roleId: string, changes: Partial<RoleInput>): Promise<Role>;
    placeRoles(places: { id: string; position: number }[]): Promise<void>;
    deleteRole(roleId: string): Promise<void>;

    /** Like every create, it is tried only once. Flags can only be set by an edit. */
    createChannel(input: ChannelInput): Promise<Channel>;
    editChannel(channelId: string, changes: Partial<ChannelInput>): Promise<Channel>;
    /** At most one of them may change its parent: the platform's rule. */
    placeChannels(
      places: { id: string; position: number; parentId?: string | null }[],
    ): Promise<void>;
    deleteChannel(channelId: string): Promise<void>;
    /** Replaces one overwrite and leaves the others alone. */
    setOverwrite(channelId: string, overwrite: Overwrite): Promise<void>;
    /** The same of a person who is to get no power by it. */
    giveOverwrite(channelId: string, overwrite: GivableOverwrite): Promise<void>;

    createEmoji(input: { name: string; image: Image; roleIds: string[] }): Promise<Emoji>;
    editEmoji(emojiId: string, changes: { name?: string; roleIds?: string[] }): Promise<void>;
    deleteEmoji(emojiId: string): Promise<void>;

    createSticker(
      input: Pick<Sticker, 'name' | 'description' | 'tags'> & { image: Image },
    ): Promise<Sticker>;
    editSticker(
      stickerId: string,
      changes: Partial<Pick<Sticker, 'name' | 'description' | 'tags'>>,
    ): Promise<void>;
    deleteSticker(stickerId: string): Promise<void>;

    ban(userId: string, reason: string | null): Promise<void>;
    unban(userId: string): Promise<void>;
    /** At most 200 in one call; those who cannot be banned, or are already, are in the answer. */
    banMany(userIds: string[], reason: string): Promise<{ notBanned: string[] }>;
    /**
     * Replaces all roles of a member: for what goes by a plan or a journal. Others `giveRoles`. Which ones can be
     * asked right before it is sent.
     */
    editMember(
      userId: string,
      changes: Partial<Pick<GuildMember, 'nick' | 'timedOutUntil'>> & {
        roleIds?: readonly string[] | (() => Promise<readonly string[]>);
      },
    ): Promise<void>;
    /** `withheld` where the role is not among those that may be given when it is sent. */
    giveRole(userId: string, roleId: string, mayGive: AskGivable): Promise<void>;
    /** Gives a member of the guild what they lack, by one edit that takes nothing away. */
    giveRoles(
      member: Pick<CurrentMember, 'userId' | 'roleIds'>,
      given: { roleIds: AskGivable; nick?: string | undefined },
    ): Promise<void>;
    kick(userId: string): Promise<void>;
    /** Nobody joins by an invite until then, at most 24 hours; null ends it. */
    pauseInvites(until: Date | null): Promise<void>;
    /**
     * The oldest entry first: those right after an entry, else those before one, else the newest. At most
     * a hundred; the platform keeps them for 45 days.
     */
    readAuditLog(page: {
      after?: string;
      before?: string;
      limit: number;
    }): Promise<AuditLogEntry[]>;
    /**
     * Adds a person with their own OAuth token; roles and nickname are given only to those who join. The
     * token is read right before its use, for every attempt, and the roles before it; without a token the
     * call is `withheld`.
     */
    addMember(
      userId: string,
      accessToken: () => Promise<Secret | undefined>,
      given?: { roleIds?: AskGivable; nick?: string | undefined },
    ): Promise<'joined' | 'alreadyMember'>;
    /** An invite that only these people can use, and that gives them these roles. */
    createInvite(
      channelId: string,
      input: { userIds: string[]; roleIds: readonly GivableRoleId[]; maxAgeSeconds: number },
    ): Promise<Invite>;
    /** The roles that whoever uses it gets. */
    readInviteRoles(code: string): Promise<string[]>;
    /** The roles that the guild's invites give, whoever may use them. */
    readRolesOfInvites(): Promise<string[]>;
    /** Lets these people use an invite, and no one else. */
    setInviteUsers(code: string, userIds: string[]): Promise<void>;
    deleteInvite(code: string): Promise<void>;
    /**
     * Mentions in the text notify no one. Of messages with the same id, within a few minutes, one is written:
     * a request that got no answer can be repeated.
     */
    sendMessage(channelId: string, message: { id?: string; text: string }): Promise<void>;
  };

declare const isGivable: unique symbol;
/** A role that may be given to somebody at this moment: only `judgeRoles` decides that. */
export type GivableRoleId = string & { readonly [isGivable]: true };
/** What may be given to somebody in a channel: only `judgeOverwrite` decides that. */
export type GivableOverwrite = Overwrite & { readonly [isGivable]: true };

/**
 * Which roles a call gives: asked right before it is sent, after every wait for a bucket and for every
 * attempt, because a role can become powerful while a call waits. A failure to find out fails the call.
 */
export type AskGivable = () => Promise<readonly GivableRoleId[]>;

type Invite = { code: string; expiresAt: Date | null };

/** With what is not part of a backup. */
export type CurrentMember = GuildMember & { joinedAt: string | null; username: string };

export type RoleInput = Omit<
  Role,
  'id' | 'isManaged' | 'botId' | 'isOfBoosters' | 'isLinked' | 'position' | 'iconHash'
>;

/** Tags and overwrites are replaced as a whole. A tag without an id is new. */
export type ChannelInput = Omit<Channel, 'id' | 'tags' | 'overwrites'> & {
  tags: (Omit<Channel['tags'][number], 'id'> & { id?: string })[];
  overwrites: Overwrite[];
};

/** An image is given as bytes; null removes it. */
export type SettingsChanges = Partial<
  Omit<GuildSettings, 'iconHash' | 'splashHash' | 'discoverySplashHash' | 'bannerHash'> & {
    icon: Image | null;
    splash: Image | null;
    discoverySplash: Image | null;
    banner: Image | null;
  }
>;

export type { Image };

/** An image stored by the platform. A hash that begins with `a_` is animated. */
export type ImageRef =
  | {
      kind: 'guildIcon' | 'guildSplash' | 'guildDiscoverySplash' | 'guildBanner';
      guildId: string;
      hash: string;
    }
  | { kind: 'roleIcon'; roleId: string; hash: string }
  | { kind: 'userAvatar'; userId: string; hash: string }
  | { kind: 'webhookAvatar'; webhookId: string; hash: string }
  | { kind: 'eventCover'; eventId: string; hash: string }
  | { kind: 'sound'; soundId: string }
  | { kind: 'emoji'; emojiId: string; isAnimated: boolean }
  | { kind: 'sticker'; stickerId: string; format: Sticker['format'] };
