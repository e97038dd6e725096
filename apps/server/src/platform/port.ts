import type { Secret } from '../kernel/secret.ts';
import type {
  Ban,
  Channel,
  Emoji,
  GuildMember,
  GuildSettings,
  Message,
  Overwrite,
  Role,
  Sticker,
} from './guild.ts';

/**
 * What the product asks of a chat platform. Every call either does what it says or throws a
 * `PlatformFailure` that says why; none takes longer than the bot's buckets and its own time-out.
 */
export type Platform = {
  /** The same client for the same token: its buckets, and that it is dead, are known to all. */
  bot(token: Secret): BotPlatform;
  /**
   * Who the bot is: one question and no second, even about a token that was refused before. A good
   * answer brings a dead client back to life.
   */
  checkToken(token: Secret, options: { timeoutMs: number }): Promise<BotProfile>;
  /** One picture from the platform's own hosts, never larger than a picture may be. */
  readImage(image: ImageRef, signal?: AbortSignal, look?: { isSmall?: boolean }): Promise<Image>;
  /** Where people's browsers find a picture. */
  imageUrl(image: ImageRef): string;
};

export type BotPlatform = {
  readBot(options?: CallOptions): Promise<BotProfile>;
  /** Everything below concerns one guild. */
  guild(guildId: string, options?: CallOptions): GuildPlatform;
};

/** The signal ends a call that is under way; `attempts` is how often it is tried (4 unless said). */
export type CallOptions = { signal?: AbortSignal; attempts?: number };

export type BotProfile = { userId: string; username: string; avatarHash: string | null };

/** What one call tells of a guild. */
export type Guild = {
  settings: GuildSettings;
  ownerId: string;
  memberCount: number;
  roles: Role[];
  emojis: Emoji[];
  stickers: Sticker[];
};

export type GuildPlatform = {
  read(): Promise<Guild>;
  readChannels(): Promise<Channel[]>;
  /** The next thousand at most, in the order of their ids, after the given one. */
  readBans(afterUserId: string): Promise<Ban[]>;
  readMembers(afterUserId: string): Promise<GuildMember[]>;
  readMember(userId: string): Promise<PresentMember>;
  /** At most a hundred, newest first. */
  readMessages(channelId: string, page: { before?: string; limit: number }): Promise<Message[]>;

  editSettings(changes: SettingsChanges): Promise<void>;

  createRole(wish: RoleWish): Promise<Role>;
  editRole(roleId: string, changes: Partial<RoleWish>): Promise<Role>;
  placeRoles(places: { id: string; position: number }[]): Promise<void>;
  deleteRole(roleId: string): Promise<void>;

  /** As all that create, never repeated by itself. Flags are not taken here, only by an edit. */
  createChannel(wish: ChannelWish): Promise<Channel>;
  editChannel(channelId: string, changes: Partial<ChannelWish>): Promise<Channel>;
  /** At most one of them may change its parent: the platform's rule. */
  placeChannels(
    places: { id: string; position: number; parentId?: string | null }[],
  ): Promise<void>;
  deleteChannel(channelId: string): Promise<void>;

  createEmoji(wish: { name: string; image: Image; roleIds: string[] }): Promise<Emoji>;
  editEmoji(emojiId: string, changes: { name?: string; roleIds?: string[] }): Promise<void>;
  deleteEmoji(emojiId: string): Promise<void>;

  createSticker(
    wish: Pick<Sticker, 'name' | 'description' | 'tags'> & { image: Image },
  ): Promise<Sticker>;
  editSticker(
    stickerId: string,
    changes: Partial<Pick<Sticker, 'name' | 'description' | 'tags'>>,
  ): Promise<void>;
  deleteSticker(stickerId: string): Promise<void>;

  ban(userId: string, reason: string | null): Promise<void>;
  unban(userId: string): Promise<void>;
  editMember(userId: string, changes: { nick?: string | null; roleIds?: string[] }): Promise<void>;
  giveRole(userId: string, roleId: string): Promise<void>;
  /**
   * Brings a person in by the token they gave this bot; roles count only for those who join. The token
   * is asked for in the moment of its use, at every attempt; without one, the call is `withheld`.
   */
  addMember(
    userId: string,
    accessToken: () => Promise<Secret | undefined>,
    roleIds?: string[],
  ): Promise<'joined' | 'alreadyMember'>;
  /** Nobody is pinged by it, whatever the text says. */
  sendMessage(channelId: string, text: string): Promise<void>;
};

/** When somebody came is no part of what a backup keeps: they come anew after every loss. */
export type PresentMember = GuildMember & { joinedAt: string | null };

export type RoleWish = Omit<Role, 'id' | 'isManaged' | 'botId' | 'position' | 'iconHash'>;

/** Tags and overwrites are set as a whole. A tag without an id is a new one. */
export type ChannelWish = Omit<Channel, 'id' | 'tags' | 'overwrites'> & {
  tags: (Omit<Channel['tags'][number], 'id'> & { id?: string })[];
  overwrites: Overwrite[];
};

/** A picture is given as itself; null takes it away. */
export type SettingsChanges = Partial<
  Omit<GuildSettings, 'iconHash' | 'splashHash' | 'discoverySplashHash' | 'bannerHash'> & {
    icon: Image | null;
    splash: Image | null;
    discoverySplash: Image | null;
    banner: Image | null;
  }
>;

export type Image = { contentType: string; bytes: Uint8Array<ArrayBuffer> };

/** A picture the platform keeps. A hash that begins with `a_` moves. */
export type ImageRef =
  | {
      kind: 'guildIcon' | 'guildSplash' | 'guildDiscoverySplash' | 'guildBanner';
      guildId: string;
      hash: string;
    }
  | { kind: 'roleIcon'; roleId: string; hash: string }
  | { kind: 'userAvatar'; userId: string; hash: string }
  | { kind: 'emoji'; emojiId: string; isAnimated: boolean }
  | { kind: 'sticker'; stickerId: string; format: Sticker['format'] };
