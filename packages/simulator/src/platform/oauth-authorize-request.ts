import type { IdentityStore } from './identities.ts';
import type { Application } from './identity-types.ts';
import type { Challenge } from './oauth-codes.ts';
import { type Fields, fieldsOf, OAuthFailure } from './oauth-form.ts';
import { parseScopes } from './oauth-scopes.ts';
import { parseSnowflake } from './oauth-snowflakes.ts';

type WayBack = { redirectUri: string; state?: string };

export type AuthorizeRequest = WayBack & {
  application: Application;
  scopes: string[];
  challenge?: Challenge;
};

type Parsed =
  | { kind: 'ask'; request: AuthorizeRequest }
  /** Wrong, but the way back is known: the application hears of it. */
  | { kind: 'return'; url: string };

/** Throws what must be shown to the person, as nobody can be trusted with the answer. */
export const parseAuthorize = (identities: IdentityStore, search: string): Parsed => {
  const fields = fieldsOf(search);
  const application = demandApplication(identities, fields.client_id);
  const redirectUri = demandRedirect(identities, application.id, fields.redirect_uri);
  const wayBack = { redirectUri, state: fields.state };
  try {
    return { kind: 'ask', request: { ...wayBack, application, ...demandWish(fields) } };
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    const { error, description } = failure;
    return { kind: 'return', url: returnUrl(wayBack, { error, error_description: description }) };
  }
};

export const returnUrl = ({ redirectUri, state }: WayBack, answer: Fields): string => {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  return url.href;
};

const demandApplication = (identities: IdentityStore, text = ''): Application => {
  const id = parseSnowflake(text);
  const application = id === undefined ? undefined : identities.findApplication(id);
  if (application === undefined) {
    throw new OAuthFailure('invalid_client', 'No application has this client_id.');
  }
  return application;
};

// A browser would run or show these in the name of this page.
const refusedProtocols = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

const demandRedirect = (identities: IdentityStore, id: string, text = ''): string => {
  const url = URL.parse(text);
  const isSafe = url !== null && url.hash === '' && !refusedProtocols.includes(url.protocol);
  if (isSafe && identities.allowsRedirect(id, text)) return text;
  throw new OAuthFailure('invalid_request', 'This redirect_uri is not one of the application.');
};

const demandWish = (fields: Fields): Pick<AuthorizeRequest, 'scopes' | 'challenge'> => {
  if (fields.response_type !== 'code') {
    throw new OAuthFailure('unsupported_response_type', 'Only response_type=code is supported.');
  }
  const scopes = parseScopes(fields.scope ?? '');
  if (scopes === undefined) {
    throw new OAuthFailure('invalid_scope', 'The requested scope is invalid or unknown.');
  }
  return { scopes, challenge: parseChallenge(fields) };
};

const parseChallenge = (fields: Fields): Challenge | undefined => {
  const { code_challenge: value, code_challenge_method: method = 'plain' } = fields;
  if (value === undefined && fields.code_challenge_method === undefined) return undefined;
  const isMethod = method === 'S256' || method === 'plain';
  if (value !== undefined && isMethod && /^[\w.~-]{43,128}$/.test(value)) return { method, value };
  throw new OAuthFailure('invalid_request', 'The code_challenge or its method is not valid.');
};
