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
  /** False: any token is accepted and the application is not known from it. */
  isBound: boolean;
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
  /** What "Bearer <access token>" stands for. */
  grantOf(accessToken: string): AccessGrant | undefined;
  /** Brought into being on first use in open mode, else undefined. */
  findUser(id: string): PlatformUser | undefined;
  putUser(id: string, changes: Partial<Omit<PlatformUser, 'id'>>): PlatformUser;
};
