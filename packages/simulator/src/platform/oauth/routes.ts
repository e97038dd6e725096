import type { IdentityStore } from '../identity/identities.ts';
import { type GuildsOf, mountUserRoutes } from '../identity/routes.ts';
import { ownerId } from '../identity/users.ts';
import type { PlatformApp, PlatformContext } from '../platform.ts';
import { authenticateClient } from './client.ts';
import { isRedeemable } from './codes.ts';
import { type Fields, limitForm, OAuthFailure, readForm } from './form.ts';
import { parseScopes } from './scopes.ts';
import type { TokenPair } from './tokens.ts';

/** The token endpoints, and the routes about the token's user. Paths are relative to the API's root. */
export const mountOAuth = (
  app: PlatformApp,
  identities: IdentityStore,
  guildsOf: GuildsOf,
): void => {
  app.post('/oauth2/token', limitForm, (c) => respond(c, identities, issueTokens));
  app.post('/oauth2/token/revoke', limitForm, (c) => respond(c, identities, revokeToken));
  mountUserRoutes(app, identities, guildsOf);
};

type Handle = (
  identities: IdentityStore,
  clientId: string,
  form: Fields,
) => Record<string, string | number>;

const respond = async (c: PlatformContext, identities: IdentityStore, handle: Handle) => {
  c.header('Cache-Control', 'no-store');
  try {
    const form = await readForm(c);
    const clientId = authenticateClient(identities, c.req.header('authorization'), form);
    return c.json(handle(identities, clientId, form));
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    const isClientWrong = failure.error === 'invalid_client';
    if (isClientWrong) c.header('WWW-Authenticate', 'Basic realm="oauth2"');
    const body = { error: failure.error, error_description: failure.description };
    return c.json(body, isClientWrong ? 401 : 400);
  }
};

const issueTokens: Handle = (identities, clientId, form) => {
  const handle = grantTypes.get(requireField(form, 'grant_type'));
  if (handle !== undefined) return handle(identities, clientId, form);
  throw new OAuthFailure('unsupported_grant_type', 'No such grant type.');
};

const exchangeCode: Handle = (identities, clientId, form) => {
  const code = identities.codes.find(requireField(form, 'code'));
  const redemption = {
    applicationId: clientId,
    redirectUri: requireField(form, 'redirect_uri'),
    verifier: form.code_verifier,
  };
  if (code === undefined || !isRedeemable(code, redemption)) throw invalidGrant('code');
  if (code.grantId !== undefined) {
    // A second use means the code may be stolen: its tokens are revoked (RFC 6749, 4.1.2).
    identities.tokens.revoke(code.grantId);
    throw invalidGrant('code');
  }
  const pair = identities.tokens.issue(code, true);
  code.grantId = pair.grantId;
  return tokenPairBody(pair);
};

const refreshTokens: Handle = (identities, clientId, form) => {
  const token = identities.tokens.find(requireField(form, 'refresh_token'));
  if (token === undefined || token.applicationId !== clientId) throw invalidGrant('refresh_token');
  requireGrantedScopes(token.scopes, form.scope);
  const pair = identities.tokens.refresh(token);
  if (pair === undefined) throw invalidGrant('refresh_token');
  return tokenPairBody(pair);
};

/** A token for the application's owner, without a refresh token. */
const issueOwnerToken: Handle = (identities, clientId, form) => {
  const scopes = requireScopes(requireField(form, 'scope'));
  const subject = { userId: ownerId, applicationId: clientId, scopes };
  const { refresh_token: _, ...body } = tokenPairBody(identities.tokens.issue(subject, true));
  return body;
};

const revokeToken: Handle = (identities, clientId, form) => {
  const token = identities.tokens.find(requireField(form, 'token'));
  // Revoking an unknown token succeeds (RFC 7009, section 2.2).
  if (token === undefined) return {};
  if (token.applicationId !== clientId) throw invalidGrant('token');
  identities.tokens.revoke(token.grantId);
  return {};
};

const grantTypes = new Map<string, Handle>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
  ['client_credentials', issueOwnerToken],
]);

export const tokenPairBody = (pair: TokenPair) => ({
  token_type: 'Bearer',
  access_token: pair.accessToken,
  expires_in: pair.expiresInSeconds,
  refresh_token: pair.refreshToken,
  scope: pair.scopes.join(' '),
});

const invalidGrant = (field: string) =>
  new OAuthFailure('invalid_grant', `Invalid "${field}" in request.`);

const requireField = (form: Fields, name: string): string => {
  const value = form[name];
  if (value === undefined || value === '') {
    throw new OAuthFailure('invalid_request', `Missing "${name}" in request.`);
  }
  return value;
};

const requireScopes = (text: string): string[] => {
  const scopes = parseScopes(text);
  if (scopes === undefined) throw new OAuthFailure('invalid_scope', 'An unknown scope was named.');
  return scopes;
};

const requireGrantedScopes = (granted: string[], requested: string | undefined): void => {
  if (requested === undefined) return;
  if (requireScopes(requested).every((scope) => granted.includes(scope))) return;
  throw new OAuthFailure('invalid_scope', 'The user has not agreed to this scope.');
};
