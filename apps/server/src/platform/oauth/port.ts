import type { Secret } from '../../kernel/secret.ts';

/**
 * OAuth: a person's consent, and their tokens. Every call either succeeds or throws a `PlatformFailure`;
 * only `grantRevoked` means that the consent was withdrawn.
 */
export type PlatformOAuth = {
  /** The page on which a person consents. */
  authorizeUrl(request: AuthorizeRequest): string;
  /** The state and PKCE secrets of one authorization; the callback must carry the same state. */
  newAttempt(): Promise<OAuthAttempt>;
  /** Not repeated once it may have arrived: a code can be used only once. */
  exchangeCode(
    request: OAuthClient & { redirectUri: string; code: string; codeVerifier: string },
  ): Promise<TokenPair>;
  /**
   * Not repeated once it may have arrived: the old tokens are then invalid. Call it once at a time per
   * person, and store the new tokens before anything else.
   */
  refresh(request: OAuthClient & { refreshToken: Secret }): Promise<TokenPair>;
  /** Revokes the whole consent, by either token. An unknown token counts as revoked. */
  revoke(request: OAuthClient & { token: Secret }): Promise<void>;
  /** Whether the platform knows the client by this secret; `clientRefused` where it does not. */
  checkClient(client: OAuthClient): Promise<void>;
  readCurrentUser(accessToken: Secret): Promise<PlatformUser>;
  /** The ids of all guilds of the person. */
  readCurrentUserGuilds(accessToken: Secret): Promise<string[]>;
  /** Those of them that the person may add a bot to. */
  readManagedGuilds(accessToken: Secret): Promise<ManagedGuild[]>;
};

export type ManagedGuild = { id: string; name: string; isOwner: boolean };

export type OAuthClient = { clientId: string; clientSecret: Secret };

export type AuthorizeRequest = {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string;
  codeChallenge: string;
  /** `none` skips the question for those who have consented before. */
  prompt?: 'consent' | 'none';
};

export type OAuthAttempt = { state: string; codeVerifier: string; codeChallenge: string };

export type TokenPair = {
  accessToken: Secret;
  refreshToken: Secret;
  /** The granted scopes, which may be fewer than requested. */
  scopes: string[];
  expiresAt: Date;
};

export type PlatformUser = {
  id: string;
  username: string;
  displayName: string | null;
  avatarHash: string | null;
  /** Only with the scope for it. */
  email: string | null;
  locale?: string;
};
