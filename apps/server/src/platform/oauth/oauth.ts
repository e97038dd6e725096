import * as oauth from 'oauth4webapi';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { AuthorizeRequest, OAuthAttempt, PlatformOAuth } from './port.ts';
import { createSend, type SendDependencies } from './send.ts';
import { createTokenCalls } from './tokens.ts';
import { createUserCalls } from './user.ts';

type PlatformOAuthDependencies = SendDependencies & {
  apiUrl: string;
  clock?: Clock;
  /** The time limit of one attempt. */
  timeoutMs?: number;
};

export const createPlatformOAuth = (dependencies: PlatformOAuthDependencies): PlatformOAuth => {
  const { apiUrl, clock = systemClock, timeoutMs = 10_000 } = dependencies;
  const root = `${apiUrl}/v10`;
  const server = serverAt(root);
  const options = {
    [oauth.customFetch]: createSend(dependencies),
    // Plain HTTP only where the operator configured it, as for a simulator on the same machine.
    [oauth.allowInsecureRequests]: new URL(apiUrl).protocol === 'http:',
    signal: () => AbortSignal.timeout(timeoutMs),
  };
  return {
    authorizeUrl: (request) => authorizeUrl(server.authorization_endpoint, request),
    newAttempt,
    ...createTokenCalls({ server, options, clock }),
    ...createUserCalls(root, options),
  };
};

const serverAt = (root: string) => ({
  issuer: new URL(root).origin,
  // A page for people, outside the API's root.
  authorization_endpoint: new URL('/oauth2/authorize', root).href,
  token_endpoint: `${root}/oauth2/token`,
  revocation_endpoint: `${root}/oauth2/token/revoke`,
});

const authorizeUrl = (page: string, request: AuthorizeRequest): string => {
  const url = new URL(page);
  url.search = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scopes.join(' '),
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: 'S256',
    ...(request.prompt && { prompt: request.prompt }),
  }).toString();
  return url.href;
};

const newAttempt = async (): Promise<OAuthAttempt> => {
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const codeChallenge = await oauth.calculatePKCECodeChallenge(codeVerifier);
  return { state: oauth.generateRandomState(), codeVerifier, codeChallenge };
};
