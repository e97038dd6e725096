import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { Clock } from '../kernel/clock.ts';
import { Secret } from '../kernel/secret.ts';
import { isPassing, withBackOff } from './back-off.ts';
import { PlatformFailure } from './failures.ts';
import { FaultTrace, isNeverReached, tokenFailureOf } from './oauth-failures.ts';
import type { OAuthClient, PlatformOAuth, TokenPair } from './port-oauth.ts';

type TokenTools = {
  server: oauth.AuthorizationServer;
  options: oauth.TokenEndpointRequestOptions;
  clock: Clock;
};
type TokenCalls = Pick<PlatformOAuth, 'exchangeCode' | 'refresh' | 'revoke'>;
type Take = (client: oauth.Client, auth: oauth.ClientAuth) => Promise<oauth.TokenEndpointResponse>;

export const createTokenCalls = ({ server, options, clock }: TokenTools): TokenCalls => {
  const takePair = ({ clientId, clientSecret }: OAuthClient, take: Take): Promise<TokenPair> =>
    withBackOff(async () => {
      // From before it was asked for, so that we never think a token good for too long.
      const askedAt = clock.now();
      const answer = take({ client_id: clientId }, authOf(clientSecret));
      return pairOf(await answer.catch(throwFailure), askedAt);
    }, isNeverReached);

  return {
    exchangeCode: ({ redirectUri, code, codeVerifier, ...ids }) =>
      takePair(ids, async (client, auth) => {
        // By its state the attempt was found, and with it the verifier: what is left is the code.
        const back = new URLSearchParams({ code });
        const callback = oauth.validateAuthResponse(server, client, back, oauth.expectNoState);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          auth,
          callback,
          redirectUri,
          codeVerifier,
          options,
        );
        return oauth.processAuthorizationCodeResponse(server, client, response);
      }),
    refresh: ({ refreshToken, ...ids }) =>
      takePair(ids, async (client, auth) => {
        const token = refreshToken.reveal();
        const request = oauth.refreshTokenGrantRequest(server, client, auth, token, options);
        return oauth.processRefreshTokenResponse(server, client, await request);
      }),
    revoke: ({ clientId, clientSecret, token }) =>
      // What is revoked already stays so: this may be asked for twice.
      withBackOff(async () => {
        const client = { client_id: clientId };
        await oauth
          .revocationRequest(server, client, authOf(clientSecret), token.reveal(), options)
          .then(oauth.processRevocationResponse)
          .catch(throwFailure);
      }, isPassing),
  };
};

/**
 * In the form rather than in the header: the header's parts would have to be percent-encoded (RFC 6749,
 * 2.3.1), which is read in two ways, and these secrets have characters where it matters.
 */
const authOf = (clientSecret: Secret): oauth.ClientAuth =>
  oauth.ClientSecretPost(clientSecret.reveal());

const throwFailure = async (error: unknown): Promise<never> => {
  throw await tokenFailureOf(error);
};

const tenYearsSeconds = 10 * 365 * 86_400;
const tokenAnswer = z.object({
  token_type: z.literal('bearer'),
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.number().min(0).max(tenYearsSeconds),
  scope: z.string(),
});

const pairOf = (answer: oauth.TokenEndpointResponse, askedAt: Date): TokenPair => {
  const parsed = tokenAnswer.safeParse(answer);
  if (!parsed.success) {
    throw new PlatformFailure('badAnswer', { status: 200, cause: new FaultTrace(parsed.error) });
  }
  const { access_token, refresh_token, expires_in, scope } = parsed.data;
  return {
    accessToken: new Secret(access_token),
    refreshToken: new Secret(refresh_token),
    scopes: scope.split(' ').filter((name) => name !== ''),
    expiresAt: new Date(askedAt.getTime() + expires_in * 1000),
  };
};
