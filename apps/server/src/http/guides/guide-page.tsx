/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import { inlineMark } from '../brand/mark.ts';
import { headLinks } from '../brand/mount-brand.ts';
import { themeColors } from '../brand/tokens.ts';

type GuidePage = { title: string; html: string; style: string };

/** A guide with the way to the others. Needs no script. */
export const guideHtml = ({ title, html, style }: GuidePage): string => {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="theme-color"
          content={themeColors.light}
          media="(prefers-color-scheme: light)"
        />
        <meta name="theme-color" content={themeColors.dark} media="(prefers-color-scheme: dark)" />
        <title>{`${title} · Holdfast`}</title>
        {raw(headLinks)}
        <link rel="stylesheet" href={style} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <a class="home" href="/">
            {raw(inlineMark)}
            Holdfast
          </a>
          <nav aria-label="Main">
            <a href="/guides">Guides</a>
            <a href="/docs">API</a>
            <a href="/dashboard">Dashboard</a>
          </nav>
        </header>
        <main id="main" tabindex={-1}>
          {raw(html)}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
};
