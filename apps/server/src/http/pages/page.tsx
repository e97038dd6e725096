/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { HttpEnv } from '../admission.ts';
import { makeAsset, readBeside, sendAsset } from '../assets.ts';

const style = makeAsset('text/css', readBeside(import.meta.url, './pages.css'));
const stylePath = '/pages/style.css';

export const mountPageStyle = (app: Hono<HttpEnv>): void => {
  app.get(stylePath, (context) => sendAsset(context, style));
};

export type PageOptions = {
  title: string;
  status?: 200 | 400 | 403 | 404 | 409 | 429 | 503;
  /** Where its pictures may come from, beside ourselves. */
  pictureOrigins?: string[];
  /** Scripts of ours that it loads, and what else they may reach. */
  scripts?: string[];
  extraPolicy?: Record<string, string[]>;
  tone?: 'good' | 'bad';
  isWide?: boolean;
  /** Looks again by itself after so many seconds. */
  refreshSeconds?: number;
};

/** A page for people who are not signed in to anything of ours: plain HTML, no inline script. */
export const sendPage = (
  context: Context<HttpEnv>,
  options: PageOptions,
  content: Child,
): Response | Promise<Response> => {
  context.header('Content-Security-Policy', policyOf(options));
  // Not `no-referrer`: under it browsers name no origin either, and our own forms need theirs.
  context.header('Referrer-Policy', 'same-origin');
  context.header('Cache-Control', 'no-store');
  const { title, scripts = [], tone, isWide, refreshSeconds } = options;
  const classes = [tone, isWide ? 'wide' : undefined].filter(Boolean).join(' ');
  return context.html(
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          {refreshSeconds && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
          <link rel="icon" href="data:," />
          <title>{title}</title>
          <link rel="stylesheet" href={`${stylePath}?v=${style.hash}`} />
          {scripts.map((source) => (
            <script type="module" src={source} />
          ))}
        </head>
        <body>
          <main class={classes}>{content}</main>
          <footer>
            Kept by Holdfast. <a href="/me">What is held about you</a>
          </footer>
        </body>
      </html>
    </>,
    options.status ?? 200,
  );
};

const policyOf = ({ pictureOrigins = [], extraPolicy = {} }: PageOptions): string => {
  const policy: Record<string, string[]> = {
    'default-src': ["'none'"],
    'style-src': ["'self'"],
    'script-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...pictureOrigins],
    'connect-src': ["'self'"],
    // Where a form's redirect leads counts as well, and it leads to the platform.
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
