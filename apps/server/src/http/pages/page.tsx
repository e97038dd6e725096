/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { makeAsset, readBeside, sendAsset } from '../assets.ts';
import { inlineMark } from '../brand/mark.ts';
import { headLinks, pageTokens } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';
import { defaultLanguage, type Language, languages } from '../languages/languages.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { pageTexts } from './texts/page-texts.ts';

/** What every page has, then what some of them show. */
export const commonStyleText =
  pageTokens +
  readBeside(import.meta.url, './pages.css') +
  readBeside(import.meta.url, './parts.css') +
  readBeside(import.meta.url, './held.css');
const commonStyle = makeAsset('text/css', commonStyleText);
const stylePath = '/pages/style.css';

export const mountPageStyle = (app: Hono<HttpEnv>): void => {
  app.get(stylePath, (context) => sendAsset(context, commonStyle));
};

export type PageOptions = {
  title: string;
  /** That of its texts; pages for owners are English. */
  language?: Language;
  /** Where people go who choose another language: the page, in a way that can be asked for again. */
  languageSwitch?: string;
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503;
  /** Origins of its images, beside our own. */
  pictureOrigins?: string[];
  /** Our scripts that it loads; `extraPolicy` has the origins they need. */
  scripts?: string[];
  extraPolicy?: Record<string, string[]>;
  /** A style of ours that is loaded after the common one. */
  style?: string;
  tone?: 'good' | 'bad';
  /** It is the page that the footer leads to. */
  isOwnData?: boolean;
  isWide?: boolean;
  /** Reloads itself after so many seconds. */
  refreshSeconds?: number;
};

/** A page for people without an account: plain HTML, no inline script. */
export const sendPage = (
  context: Context<HttpEnv>,
  options: PageOptions,
  content: Child,
): Response | Promise<Response> => {
  context.header('Content-Security-Policy', policyOf(options));
  // Not `no-referrer`: browsers then send no Origin either, which our own forms need.
  context.header('Referrer-Policy', 'same-origin');
  context.header('Cache-Control', 'no-store');
  const { title, language = defaultLanguage, languageSwitch, scripts = [] } = options;
  const { style, tone, isWide, refreshSeconds } = options;
  const classes = [tone, isWide ? 'wide' : undefined].filter(Boolean).join(' ');
  return context.html(
    <>
      {raw('<!doctype html>')}
      <html lang={language} dir={languages[language].direction}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          {refreshSeconds && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
          {raw(headLinks)}
          <title>{title}</title>
          <link rel="stylesheet" href={`${stylePath}?v=${commonStyle.hash}`} />
          {style && <link rel="stylesheet" href={style} />}
          {scripts.map((source) => (
            <script type="module" src={source} />
          ))}
        </head>
        <body>
          <main class={classes}>{content}</main>
          <Footer {...{ language, languageSwitch, isOwnData: options.isOwnData }} />
        </body>
      </html>
    </>,
    options.status ?? 200,
  );
};

type FooterProps = {
  language: Language;
  languageSwitch: string | undefined;
  isOwnData: boolean | undefined;
};

const Footer = ({ language, languageSwitch, isOwnData }: FooterProps) => {
  const { poweredBy, yourData } = pageTexts[language];
  return (
    <footer>
      <div>
        {raw(inlineMark)} {poweredBy(<a href="/">Holdfast</a>)}
        {!isOwnData && (
          <>
            {' · '}
            <a href="/me">{yourData}</a>
          </>
        )}
      </div>
      {languageSwitch && <LanguageSwitch language={language} back={languageSwitch} />}
    </footer>
  );
};

const policyOf = ({ pictureOrigins = [], extraPolicy = {} }: PageOptions): string => {
  const policy: Record<string, string[]> = {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'script-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...pictureOrigins],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    // Browsers also check where a form's answer redirects to; pages that redirect add the platform.
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  for (const [name, sources] of Object.entries(extraPolicy)) {
    policy[name] = [...(policy[name] ?? []), ...sources];
  }
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
};

/** Characters that override the direction of the text after them. */
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name chosen by a user, isolated so that it cannot reorder the text around it. */
export const Name = ({ children }: { children: string }) => (
  <bdi>{children.replace(directionOverrides, '')}</bdi>
);
