import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { sha256Hex } from '../../kernel/sha256.ts';
import type { HttpEnv } from '../admission.ts';

/** Unguessable, and of characters that cookies and URLs take. */
export const newToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');

const cookieOptions = {
  prefix: 'host',
  httpOnly: true,
  sameSite: 'Lax',
  secure: true,
  path: '/',
} as const;

/** Undefined where there is none, or something that cannot be ours. */
export const readCookie = (context: Context<HttpEnv>, name: string): string | undefined => {
  const value = getCookie(context, name, 'host');
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
};

export const writeCookie = (
  context: Context<HttpEnv>,
  name: string,
  value: string,
  maxAgeSeconds: number,
): void => setCookie(context, name, value, { ...cookieOptions, maxAge: maxAgeSeconds });

const browserCookie = 'browser';
const browserSeconds = 24 * 60 * 60;

/** A name for this browser, which only its hash is kept of: what it began, only it can end. */
export const browserHash = (context: Context<HttpEnv>): string => {
  const known = readCookie(context, browserCookie);
  const value = known ?? newToken();
  if (!known) writeCookie(context, browserCookie, value, browserSeconds);
  return sha256Hex(value);
};
