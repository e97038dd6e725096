import type { Context, Env, Hono } from 'hono';
import { authorizeHtml, refusalHtml, styleHash } from './authorize-page.tsx';
import type { IdentityStore } from './identities.ts';
import { type AuthorizeRequest, parseAuthorize, returnUrl } from './oauth-authorize-request.ts';
import { type Fields, limitForm, OAuthFailure, readForm } from './oauth-form.ts';
import { parseSnowflake } from './oauth-snowflakes.ts';

const path = '/oauth2/authorize';
const offeredUsers = 6;

/** Where a member's browser is sent to agree; mounted at the root and at the root of the API. */
export const mountAuthorizePage = <E extends Env>(
  app: Hono<E>,
  identities: IdentityStore,
): void => {
  app.get(path, (c) => withRequest(c, identities, (request) => ask(c, identities, request)));
  app.post(path, limitForm, (c) =>
    withRequest(c, identities, async (request) =>
      decide(c, identities, request, await readForm(c)),
    ),
  );
};

type Handle = (request: AuthorizeRequest) => Response | Promise<Response>;

const withRequest = async (c: Context, identities: IdentityStore, handle: Handle) => {
  try {
    const parsed = parseAuthorize(identities, new URL(c.req.url).search);
    if (parsed.kind === 'return') return c.redirect(parsed.url, 302);
    return await handle(parsed.request);
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    return sendHtml(c, refusalHtml(failure.description), 400);
  }
};

const ask = (c: Context, identities: IdentityStore, request: AuthorizeRequest) => {
  const chosen = c.req.query('sim_user');
  // Tests choose without a page; a strict platform asks everybody.
  if (chosen === undefined || !identities.isOpen) return showPage(c, identities, request);
  return agree(c, identities, request, chosen);
};

const decide = (
  c: Context,
  identities: IdentityStore,
  request: AuthorizeRequest,
  form: Fields,
): Response => {
  if (form.decision === 'authorize') {
    return agree(c, identities, request, form.user_id?.trim() || (form.user ?? ''));
  }
  return c.redirect(
    returnUrl(request, {
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request',
    }),
    302,
  );
};

const agree = (
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
  const code = identities.codes.make({
    applicationId: request.application.id,
    userId: user.id,
    scopes: request.scopes,
    redirectUri: request.redirectUri,
    challenge: request.challenge,
  });
  return c.redirect(returnUrl(request, { code }), 302);
};

const showPage = (
  c: Context,
  identities: IdentityStore,
  request: AuthorizeRequest,
  refusedId?: string,
): Response => {
  const users = identities.listUsers(offeredUsers);
  const html = authorizeHtml({ request, users, refusedId });
  return sendHtml(c, html, refusedId === undefined ? 200 : 400, request);
};

const sendHtml = (c: Context, html: string, status: 200 | 400, request?: AuthorizeRequest) => {
  c.header('Content-Security-Policy', policyFor(request));
  c.header('Referrer-Policy', 'no-referrer');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Cache-Control', 'no-store');
  return c.html(html, status);
};

const policyFor = (request: AuthorizeRequest | undefined): string => {
  // Browsers hold every redirect after a form to form-action: the way back leads to the
  // application's own address, and from there to wherever it likes.
  const targets = new Set(["'self'", 'http:', 'https:']);
  if (request !== undefined) targets.add(new URL(request.redirectUri).protocol);
  return [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    'img-src data:',
    `form-action ${[...targets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};
