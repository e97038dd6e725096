import * as oauth from 'oauth4webapi';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { createSend, type SendTools } from './oauth-send.ts';
import { createTokenCalls } from './oauth-tokens.ts';
import { createUserCalls } from './oauth-user.ts';
import type { AuthorizeWish, OAuthAttempt, PlatformOAuth } from './port-oauth.ts';

export type PlatformOAuthTools = SendTools & {
  apiUrl: string;
  clock?: Clock;
  /** How long one attempt may take. */
  timeoutMs?: number;
};

export const createPlatformOAuth = (tools: PlatformOAuthTools): PlatformOAuth => {
  const { apiUrl, clock = systemClock, timeoutMs = 10_000 } = tools;
  const root = `${apiUrl}/v10`;
  const server = serverAt(root);
  const options = {
    [oauth.customFetch]: createSend(tools),
    // Only the operator's own setting can take encryption away, as for a simulator on this machine.
    [oauth.allowInsecureRequests]: new URL(apiUrl).protocol === 'http:',
    signal: () => AbortSignal.timeout(timeoutMs),
  };
  return {
    authorizeUrl: (wish) => authorizeUrl(server.authorization_endpoint, wish),
    newAttempt,
    ...createTokenCalls({ server, options, clock }),
    ...createUserCalls(root, options),
  };
};

const serverAt = (root: string) => ({
  issuer: new URL(root).origin,
  // A page for people, and so beside the API rather than below it.
  authorization_endpoint: new URL('/oauth2/authorize', root).href,
  token_endpoint: `${root}/oauth2/token`,
  revocation_endpoint: `${root}/oauth2/token/revoke`,
});

const authorizeUrl = (page: string, wish: AuthorizeWish): string => {
  const url = new URL(page);
  url.search = new URLSearchParams({
    client_id: wish.clientId,
    redirect_uri: wish.redirectUri,
    response_type: 'code',
    scope: wish.scopes.join(' '),
    state: wish.state,
    code_challenge: wish.codeChallenge,
    code_challenge_method: 'S256',
    ...(wish.prompt && { prompt: wish.prompt }),
  }).toString();
  return url.href;
};

const newAttempt = async (): Promise<OAuthAttempt> => {
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const codeChallenge = await oauth.calculatePKCECodeChallenge(codeVerifier);
  return { state: oauth.generateRandomState(), codeVerifier, codeChallenge };
};
