import type { IdentityStore } from '../identity/identities.ts';
import type { Application } from '../platform.ts';
import { parseSnowflake } from '../snowflakes.ts';
import type { Challenge } from './codes.ts';
import { type Fields, fieldsOf, OAuthFailure } from './form.ts';
import { parseScopes } from './scopes.ts';

type RedirectTarget = { redirectUri: string; state?: string };

export type AuthorizeRequest = RedirectTarget & {
  application: Application;
  scopes: string[];
  challenge?: Challenge;
};

type ParsedRequest =
  | { kind: 'valid'; request: AuthorizeRequest }
  /** Invalid, but the redirect URI can be trusted: the application gets the error. */
  | { kind: 'redirect'; url: string };

/** Throws while the redirect URI is not verified: the error is then shown to the person instead. */
export const parseAuthorizeRequest = (identities: IdentityStore, search: string): ParsedRequest => {
  const fields = fieldsOf(search);
  const application = requireApplication(identities, fields.client_id);
  const redirectUri = requireRedirect(identities, application.id, fields.redirect_uri);
  const redirectTarget = { redirectUri, state: fields.state };
  try {
    return {
      kind: 'valid',
      request: { ...redirectTarget, application, ...parseGrantRequest(fields) },
    };
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    const { error, description } = failure;
    return {
      kind: 'redirect',
      url: redirectUrl(redirectTarget, { error, error_description: description }),
    };
  }
};

export const redirectUrl = ({ redirectUri, state }: RedirectTarget, answer: Fields): string => {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  return url.href;
};

export const requireApplication = (identities: IdentityStore, text = ''): Application => {
  const id = parseSnowflake(text);
  const application = id === undefined ? undefined : identities.findApplication(id);
  if (application === undefined) {
    throw new OAuthFailure('invalid_client', 'No application has this client_id.');
  }
  return application;
};

// A browser would run or show these with this page's origin.
const refusedProtocols = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'];

const requireRedirect = (identities: IdentityStore, id: string, text = ''): string => {
  const url = URL.parse(text);
  const isSafe = url !== null && url.hash === '' && !refusedProtocols.includes(url.protocol);
  if (isSafe && identities.allowsRedirect(id, text)) return text;
  throw new OAuthFailure('invalid_request', 'This redirect_uri is not one of the application.');
};

const parseGrantRequest = (fields: Fields): Pick<AuthorizeRequest, 'scopes' | 'challenge'> => {
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
