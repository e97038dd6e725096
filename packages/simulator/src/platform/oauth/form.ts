import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';

/** An error response of the OAuth2 endpoints (RFC 6749, section 5.2). */
export class OAuthFailure extends Error {
  constructor(
    readonly error:
      | 'invalid_request'
      | 'invalid_client'
      | 'invalid_grant'
      | 'invalid_scope'
      | 'unsupported_grant_type'
      | 'unsupported_response_type',
    readonly description: string,
  ) {
    super(description);
  }
}

const maxFormBytes = 64 * 1024;

export const limitForm: MiddlewareHandler = bodyLimit({
  maxSize: maxFormBytes,
  onError: (c) =>
    c.json({ error: 'invalid_request', error_description: 'The form is too long.' }, 413),
});

export type Fields = Record<string, string>;

export const readForm = async (c: Context): Promise<Fields> => {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthFailure('invalid_request', 'Send application/x-www-form-urlencoded.');
  }
  return fieldsOf(await c.req.text());
};

/** Parameters by name; a repeated one is an error (RFC 6749, section 3.1). */
export const fieldsOf = (text: string): Fields => {
  const pairs = [...new URLSearchParams(text)];
  const fields: Fields = Object.fromEntries(pairs);
  if (Object.keys(fields).length === pairs.length) return fields;
  throw new OAuthFailure('invalid_request', 'A parameter was sent twice.');
};
