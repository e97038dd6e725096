import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import { Secret } from '../../kernel/secret.ts';
import { isTransient, withBackOff } from '../client/back-off.ts';
import { PlatformFailure } from '../failures.ts';
import { RedactedError, tokenFailureOf, wasNeverReceived } from './failures.ts';
import type { OAuthClient, PlatformOAuth, TokenPair } from './port.ts';

type TokenDependencies = {
  server: oauth.AuthorizationServer;
  options: oauth.TokenEndpointRequestOptions;
  clock: Clock;
};
type TokenCalls = Pick<PlatformOAuth, 'exchangeCode' | 'refresh' | 'revoke' | 'checkClient'>;
type RequestTokens = (
  client: oauth.Client,
  auth: oauth.ClientAuth,
) => Promise<oauth.TokenEndpointResponse>;

export const createTokenCalls = ({ server, options, clock }: TokenDependencies): TokenCalls => {
  const requestPair = (
    { clientId, clientSecret }: OAuthClient,
    request: RequestTokens,
  ): Promise<TokenPair> =>
    withBackOff(async () => {
      // Before the request, so that the token never counts as valid for too long.
      const requestedAt = clock.now();
      const answer = request({ client_id: clientId }, authOf(clientSecret));
      return pairOf(await answer.catch(throwFailure), requestedAt);
    }, wasNeverReceived);

  return {
    exchangeCode: ({ redirectUri, code, codeVerifier, ...ids }) =>
      requestPair(ids, async (client, auth) => {
        // The caller has already found its attempt by the state: only the code is left.
        const parameters = new URLSearchParams({ code });
        const callback = oauth.validateAuthResponse(
          server,
          client,
          parameters,
          oauth.expectNoState,
        );
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
      requestPair(ids, async (client, auth) => {
        const token = refreshToken.reveal();
        const response = oauth.refreshTokenGrantRequest(server, client, auth, token, options);
        return oauth.processRefreshTokenResponse(server, client, await response);
      }),
    async checkClient({ clientId, clientSecret }) {
      // The answer is a token of the application's owner, which nobody keeps. It is not revoked, because
      // that would end whatever else the owner has consented to.
      const parameters = new URLSearchParams({ scope: 'identify' });
      const client = { client_id: clientId };
      await oauth
        .clientCredentialsGrantRequest(server, client, authOf(clientSecret), parameters, options)
        .then((response) => oauth.processClientCredentialsResponse(server, client, response))
        .catch(throwFailure);
    },

    revoke: ({ clientId, clientSecret, token }) =>
      // Safe to repeat: a revoked token stays revoked.
      withBackOff(async () => {
        const client = { client_id: clientId };
        await oauth
          .revocationRequest(server, client, authOf(clientSecret), token.reveal(), options)
          .then(oauth.processRevocationResponse)
          .catch(throwFailure);
      }, isTransient),
  };
};

/**
 * In the form rather than in the header: the header's parts would have to be percent-encoded (RFC 6749,
 * 2.3.1), which servers decode differently, and these secrets contain characters where that matters.
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

const pairOf = (answer: oauth.TokenEndpointResponse, requestedAt: Date): TokenPair => {
  const parsed = tokenAnswer.safeParse(answer);
  if (!parsed.success) {
    throw new PlatformFailure('badAnswer', { status: 200, cause: new RedactedError(parsed.error) });
  }
  const { access_token, refresh_token, expires_in, scope } = parsed.data;
  return {
    accessToken: new Secret(access_token),
    refreshToken: new Secret(refresh_token),
    scopes: scope.split(' ').filter((name) => name !== ''),
    expiresAt: new Date(requestedAt.getTime() + expires_in * 1000),
  };
};
