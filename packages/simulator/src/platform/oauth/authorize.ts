import type { Context } from 'hono';
import type { IdentityStore } from '../identity/identities.ts';
import type { PlatformApp } from '../platform.ts';
import { parseSnowflake } from '../snowflakes.ts';
import { sendAuthorizePage, sendRefusal } from './authorize-page.tsx';
import { type AuthorizeRequest, parseAuthorizeRequest, redirectUrl } from './authorize-request.ts';
import { type Fields, limitForm, OAuthFailure, readForm } from './form.ts';

const path = '/oauth2/authorize';
const OFFERED_USERS = 6;

/** The page on which a member consents. It is mounted at the root and at the root of the API. */
export const mountAuthorizePage = (app: PlatformApp, identities: IdentityStore): void => {
  app.get(path, (c) => withRequest(c, identities, (request) => handleGet(c, identities, request)));
  app.post(path, limitForm, (c) =>
    withRequest(c, identities, async (request) =>
      decide(c, identities, request, await readForm(c)),
    ),
  );
};

type Handle = (request: AuthorizeRequest) => Response | Promise<Response>;

const withRequest = async (c: Context, identities: IdentityStore, handle: Handle) => {
  try {
    const parsed = parseAuthorizeRequest(identities, new URL(c.req.url).search);
    if (parsed.kind === 'redirect') return c.redirect(parsed.url, 302);
    return await handle(parsed.request);
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    return sendRefusal(c, failure.description);
  }
};

const handleGet = (c: Context, identities: IdentityStore, request: AuthorizeRequest) => {
  const userId = c.req.query('sim_user');
  // Tests approve without the page; strict mode always shows it.
  if (userId === undefined || !identities.isOpen) return showPage(c, identities, request);
  return approve(c, identities, request, userId);
};

const decide = (
  c: Context,
  identities: IdentityStore,
  request: AuthorizeRequest,
  form: Fields,
): Response => {
  if (form.decision === 'authorize') {
    return approve(c, identities, request, form.user_id?.trim() || (form.user ?? ''));
  }
  return c.redirect(
    redirectUrl(request, {
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request',
    }),
    302,
  );
};

const approve = (
  c: Context,
  identities: IdentityStore,
  request: AuthorizeRequest,
  typedId: string,
): Response => {
  const userId = parseSnowflake(typedId);
  const user = userId === undefined ? undefined : identities.findUser(userId);
  if (user === undefined || user.isBot || user.isUnknown) {
    return showPage(c, identities, request, typedId);
  }
  const code = identities.codes.create({
    applicationId: request.application.id,
    userId: user.id,
    scopes: request.scopes,
    redirectUri: request.redirectUri,
    challenge: request.challenge,
  });
  return c.redirect(redirectUrl(request, { code }), 302);
};

const showPage = (
  c: Context,
  identities: IdentityStore,
  request: AuthorizeRequest,
  refusedId?: string,
): Response => {
  const users = identities.listUsers(OFFERED_USERS);
  return sendAuthorizePage(c, { request, users, refusedId });
};
