import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { sha256Hex } from '../../kernel/hash.ts';
import { newToken } from '../../kernel/ids.ts';
import type { HttpEnv } from '../context.ts';

const cookieOptions = {
  prefix: 'host',
  httpOnly: true,
  sameSite: 'Lax',
  secure: true,
  path: '/',
} as const;

/** Undefined where there is none, or one that we cannot have set. */
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

/** Identifies this browser; only the hash is stored. What one browser starts, only it can finish. */
export const browserHash = (context: Context<HttpEnv>): string => {
  const known = readCookie(context, browserCookie) ?? context.get('newBrowser');
  if (known !== undefined) return sha256Hex(known);
  const value = newToken();
  context.set('newBrowser', value);
  writeCookie(context, browserCookie, value, browserSeconds);
  return sha256Hex(value);
};

/** Recognizes this browser for longer than a day. */
export const keepBrowser = (context: Context<HttpEnv>, seconds: number): void => {
  const value = readCookie(context, browserCookie);
  if (value) writeCookie(context, browserCookie, value, seconds);
};
