/** What is reported of a bot's guilds. */
export type GuildEvent =
  | {
      kind: 'guildsListed';
      /** All guilds that the bot is in. */
      guildIds: string[];
    }
  | {
      kind: 'guildAvailable';
      guildId: string;
      name: string;
      iconHash: string | null;
      memberCount: number;
      channelIds: string[];
      roles: { id: string; isManaged: boolean }[];
    }
  | { kind: 'guildChanged'; guildId: string; name: string; iconHash: string | null }
  | { kind: 'guildGone'; guildId: string }
  | { kind: 'channelCreated' | 'channelDeleted'; guildId: string; channelId: string }
  | { kind: 'roleCreated'; guildId: string; role: { id: string; isManaged: boolean } }
  | { kind: 'roleDeleted'; guildId: string; roleId: string }
  | { kind: 'memberJoined' | 'memberLeft'; guildId: string; userId: string };
