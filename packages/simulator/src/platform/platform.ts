import type { Context, Hono } from 'hono';
import type { AuditLogs } from './announce/audit-log.ts';
import type { EventName } from './gateway/intents.ts';
import type { Guild } from './guild/guild.ts';
import type { World } from './guild/world.ts';
import type { PrivilegedIntent } from './identity/intents.ts';

/** What the routes share: the guilds, the identities, the gateway and the types of a request. */
export type Platform = {
  world: World;
  identities: Identities;
  gateway: Gateway;
  auditLogs: AuditLogs;
};

/** Who is told of an event: a session of a bot that is in the guild. */
export type Viewer = { botId: string; intents: number; guild: Guild };

/** Something that happened in a guild, as the gateway's sessions are told of it. */
export type GuildEvent = {
  name: EventName;
  /** Those who see the same of it share a shape; undefined sees nothing. Without it all see the same. */
  shapeFor?: (viewer: Viewer) => string | undefined;
  data: (shape: string) => unknown;
  /** Of the events of one change with the same word only the first is told. */
  once?: string;
  exceptFor?: ReadonlySet<string>;
  /** Told whatever its intents are. */
  alwaysTo?: string;
};

export type Gateway = {
  /** Tells every session whose bot is a member of the guild and whose intents cover the event. */
  dispatch(guild: Guild, event: GuildEvent): void;
  /** Whether a session of any bot listens to the guild. */
  isHeard(guild: Guild): boolean;
  /** The bots with a session that are in the guild. */
  listenersIn(guild: Guild): Application[];
  /** Tells one bot, member or not. */
  dispatchTo(botId: string, guild: Guild, event: GuildEvent): void;
  /** Tells a bot of a guild that it has joined, whole. */
  tellGuild(botId: string, guild: Guild): void;
};

export type PlatformEnv = {
  Bindings: { remoteAddress?: string };
  Variables: {
    /** The application behind "Authorization: Bot …"; absent for other requests. */
    bot: Application | undefined;
  };
};

export type PlatformContext = Context<PlatformEnv>;
export type PlatformApp = Hono<PlatformEnv>;

export type PlatformUser = {
  id: string;
  username: string;
  globalName: string | null;
  avatar: string | null;
  email: string;
  /** Whether they have shown that the address is theirs. */
  verified: boolean;
  isBot: boolean;
  atGuildCap: boolean;
  isUnknown: boolean;
  tokenState: 'valid' | 'expired' | 'revoked';
};

export type Application = {
  /** The bot user has the same id. */
  id: string;
  name: string;
  /** False: the id is derived from an arbitrary token, which does not name its application. */
  isBound: boolean;
  /** The privileged intents that are switched on in its settings. */
  intents: PrivilegedIntent[];
  /** Where it may send people back to. Undefined: nothing was set, and open mode allows any address. */
  redirectUris?: string[];
  /** Guilds that demand two-factor authentication ask the owner of a bot for it. */
  isOwnerMfaEnabled: boolean;
};

export type AccessGrant = {
  userId: string;
  applicationId: string;
  scopes: string[];
  /** Neither expired nor revoked. */
  isUsable: boolean;
};

export type Identities = {
  /** The application whose bot presents this Authorization header ("Bot <token>"); undefined → 401. */
  botOf(authorization: string | undefined): Application | undefined;
  /** The grant of "Bearer <access token>". */
  grantOf(accessToken: string): AccessGrant | undefined;
  /** Open mode generates a user for any id; strict mode knows only those that were set. */
  findUser(id: string): PlatformUser | undefined;
  /** Whether somebody has used or set an application of this id. */
  hasApplication(id: string): boolean;
  putUser(id: string, changes: Partial<Omit<PlatformUser, 'id'>>): PlatformUser;
};
