import type { Context, Hono } from 'hono';
import type { World } from './guild/world.ts';
import type { PrivilegedIntent } from './identity/intents.ts';

/** What the routes share: the guilds, the identities and the types of a request. */
export type Platform = { world: World; identities: Identities };

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
  putUser(id: string, changes: Partial<Omit<PlatformUser, 'id'>>): PlatformUser;
};
