import type { IdentityStore } from '../identity/identities.ts';
import { parseSnowflake } from '../snowflakes.ts';
import { type Fields, OAuthFailure } from './form.ts';

type Credentials = { id: string; secret: string };

/** The client's id, authenticated by Basic or by the form's fields, never by both. */
export const authenticateClient = (
  identities: IdentityStore,
  authorization: string | undefined,
  form: Fields,
): string => {
  const basic = authorization === undefined ? undefined : parseBasic(authorization);
  if (basic !== undefined && conflictsWithForm(basic, form)) {
    throw new OAuthFailure('invalid_request', 'Authenticate by header or by form, not by both.');
  }
  const { id, secret } = basic ?? { id: form.client_id ?? '', secret: form.client_secret ?? '' };
  const clientId = parseSnowflake(id);
  if (clientId === undefined || !identities.isClient(clientId, secret)) throw invalidClient();
  return clientId;
};

const invalidClient = () => new OAuthFailure('invalid_client', 'Unknown client or wrong secret.');

const conflictsWithForm = (basic: Credentials, form: Fields): boolean =>
  form.client_secret !== undefined || (form.client_id !== undefined && form.client_id !== basic.id);

const parseBasic = (authorization: string): Credentials => {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw invalidClient();
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw invalidClient();
  return { id: decodeField(text.slice(0, colon)), secret: decodeField(text.slice(colon + 1)) };
};

/** Both halves are form-encoded (RFC 6749, section 2.3.1); many clients send them plain. */
const decodeField = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
