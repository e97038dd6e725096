import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { HttpEnv } from '../context.ts';
import { chooseLanguage, type Language, languageOfTag } from './languages.ts';

const cookieName = 'language';
const switchPath = '/language';

/** What the member chose on a page, else what their browser prefers. */
export const languageOf = (context: Context<HttpEnv>): Language =>
  languageOfTag(getCookie(context, cookieName, 'host') ?? '') ??
  chooseLanguage(context.req.header('accept-language'));

/** Chooses that language for the visit, and leads back to the page. */
export const switchHref = (language: Language, back: string): string =>
  `${switchPath}?${new URLSearchParams({ to: language, back })}`;

export const mountLanguageSwitch = (app: Hono<HttpEnv>): void => {
  app.get(switchPath, (context) => {
    context.set('operation', 'page.language');
    const { to = '', back = '' } = context.req.query();
    const language = languageOfTag(to);
    if (language) {
      // Without an age: forgotten when the browser is closed.
      setCookie(context, cookieName, language, {
        ...{ prefix: 'host', httpOnly: true, sameSite: 'Lax', secure: true, path: '/' },
      });
    }
    context.header('Cache-Control', 'no-store');
    return context.redirect(ownPath(back), 303);
  });
};

const anyOrigin = 'http://own.invalid';

/** Only ever a path of this service: an address of another site leads to the start page. */
const ownPath = (back: string): string => {
  const url = back.startsWith('/') ? URL.parse(back, anyOrigin) : null;
  const path = url?.origin === anyOrigin ? url.pathname : '/';
  // A path that begins with two slashes is the address of another site.
  return path.startsWith('//') ? '/' : path;
};
