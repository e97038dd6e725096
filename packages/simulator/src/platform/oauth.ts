import type { Context, Env, Hono } from 'hono';
import type { IdentityStore } from './identities.ts';
import { authenticateClient } from './oauth-client.ts';
import { isCodeFor } from './oauth-codes.ts';
import { type Fields, limitForm, OAuthFailure, readForm } from './oauth-form.ts';
import { ownerId } from './oauth-pretend-users.ts';
import { parseScopes } from './oauth-scopes.ts';
import type { TokenPair } from './oauth-tokens.ts';
import { type GuildsOf, mountUserRoutes } from './user-routes.ts';

export type OAuthOptions = { guildsOf?: GuildsOf };

/** Tokens, and who they stand for: paths relative to the root of the API. */
export const mountOAuth = <E extends Env>(
  app: Hono<E>,
  identities: IdentityStore,
  { guildsOf = () => [] }: OAuthOptions = {},
): void => {
  app.post('/oauth2/token', limitForm, (c) => answer(c, identities, giveTokens));
  app.post('/oauth2/token/revoke', limitForm, (c) => answer(c, identities, revokeToken));
  mountUserRoutes(app, identities, guildsOf);
};

type Answer = Record<string, string | number>;
type Handle = (identities: IdentityStore, clientId: string, form: Fields) => Answer;

const answer = async (c: Context, identities: IdentityStore, handle: Handle) => {
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

const giveTokens: Handle = (identities, clientId, form) => {
  const handle = grantTypes.get(demandField(form, 'grant_type'));
  if (handle !== undefined) return handle(identities, clientId, form);
  throw new OAuthFailure('unsupported_grant_type', 'No such grant type.');
};

const exchangeCode: Handle = (identities, clientId, form) => {
  const code = identities.codes.find(demandField(form, 'code'));
  const presented = {
    applicationId: clientId,
    redirectUri: demandField(form, 'redirect_uri'),
    verifier: form.code_verifier,
  };
  if (code === undefined || !isCodeFor(code, presented)) throw invalidGrant('code');
  if (code.grantId !== undefined) {
    // Somebody else may have the code too: nothing it gave is good any more (RFC 6749, 4.1.2).
    identities.tokens.revoke(code.grantId);
    throw invalidGrant('code');
  }
  const pair = identities.tokens.issue(code, true);
  code.grantId = pair.grantId;
  return pairBody(pair);
};

const refreshTokens: Handle = (identities, clientId, form) => {
  const token = identities.tokens.find(demandField(form, 'refresh_token'));
  if (token === undefined || token.applicationId !== clientId) throw invalidGrant('refresh_token');
  demandNoMoreThan(token.scopes, form.scope);
  const pair = identities.tokens.refresh(token);
  if (pair === undefined) throw invalidGrant('refresh_token');
  return pairBody(pair);
};

/** For the application's owner, without a way to refresh. */
const giveOwnToken: Handle = (identities, clientId, form) => {
  const scopes = demandScopes(demandField(form, 'scope'));
  const subject = { userId: ownerId, applicationId: clientId, scopes };
  const { refresh_token: _, ...body } = pairBody(identities.tokens.issue(subject, true));
  return body;
};

const revokeToken: Handle = (identities, clientId, form) => {
  const token = identities.tokens.find(demandField(form, 'token'));
  // What is not known is as good as revoked (RFC 7009, section 2.2).
  if (token === undefined) return {};
  if (token.applicationId !== clientId) throw invalidGrant('token');
  identities.tokens.revoke(token.grantId);
  return {};
};

const grantTypes = new Map<string, Handle>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
  ['client_credentials', giveOwnToken],
]);

export const pairBody = (pair: TokenPair) => ({
  token_type: 'Bearer',
  access_token: pair.accessToken,
  expires_in: pair.expiresInSeconds,
  refresh_token: pair.refreshToken,
  scope: pair.scopes.join(' '),
});

const invalidGrant = (field: string) =>
  new OAuthFailure('invalid_grant', `Invalid "${field}" in request.`);

const demandField = (form: Fields, name: string): string => {
  const value = form[name];
  if (value === undefined || value === '') {
    throw new OAuthFailure('invalid_request', `Missing "${name}" in request.`);
  }
  return value;
};

const demandScopes = (text: string): string[] => {
  const scopes = parseScopes(text);
  if (scopes === undefined) throw new OAuthFailure('invalid_scope', 'An unknown scope was named.');
  return scopes;
};

const demandNoMoreThan = (granted: string[], wanted: string | undefined): void => {
  if (wanted === undefined) return;
  if (demandScopes(wanted).every((scope) => granted.includes(scope))) return;
  throw new OAuthFailure('invalid_scope', 'The user has not agreed to this scope.');
};
