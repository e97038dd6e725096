import type { Secret } from '../kernel/secret.ts';

/**
 * Asking people for their consent, and what it gives us. Every call either does what it says or throws
 * a `PlatformFailure`; only `grantRevoked` means that the consent is gone.
 */
export type PlatformOAuth = {
  /** Where a person's browser is sent to agree. */
  authorizeUrl(wish: AuthorizeWish): string;
  /** Secrets for one way there and back. Whoever comes back must bring the same state. */
  newAttempt(): Promise<OAuthAttempt>;
  /** Not repeated once it may have arrived: a code counts only once. */
  exchangeCode(
    wish: OAuthClient & { redirectUri: string; code: string; codeVerifier: string },
  ): Promise<TokenPair>;
  /**
   * Not repeated once it may have arrived: the old pair is then gone. One at a time for each person,
   * and the new pair is to be stored before anything else.
   */
  refresh(wish: OAuthClient & { refreshToken: Secret }): Promise<TokenPair>;
  /** Either token ends the whole consent. One that is not known any more counts as revoked. */
  revoke(wish: OAuthClient & { token: Secret }): Promise<void>;
  readCurrentUser(accessToken: Secret): Promise<PlatformUser>;
  /** The ids of every server the person is in. */
  readCurrentUserGuilds(accessToken: Secret): Promise<string[]>;
};

export type OAuthClient = { clientId: string; clientSecret: Secret };

export type AuthorizeWish = {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string;
  codeChallenge: string;
  /** `none` spares the question to those who have agreed before. */
  prompt?: 'consent' | 'none';
};

export type OAuthAttempt = { state: string; codeVerifier: string; codeChallenge: string };

export type TokenPair = {
  accessToken: Secret;
  refreshToken: Secret;
  /** What was agreed to, which may be less than was asked for. */
  scopes: string[];
  expiresAt: Date;
};

export type PlatformUser = {
  id: string;
  username: string;
  displayName: string | null;
  avatarHash: string | null;
  /** Told only to those who asked for it. */
  email: string | null;
  locale?: string;
};
