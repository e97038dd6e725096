/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import { headLinks } from '../brand/mount-brand.ts';
import { SiteHeader } from '../brand/site-header.tsx';
import { themeColors } from '../brand/tokens.ts';
import type { Heading } from './render-guide.ts';

type GuidePage = {
  name: string;
  title: string;
  html: string;
  headings: Heading[];
  style: string;
  next: { name: string; title: string } | undefined;
};

/** Shorter ones are seen at a glance. */
const fewestForContents = 4;

/** A guide with the way to the others. Needs no script. */
export const guideHtml = ({ name, title, html, headings, style, next }: GuidePage): string => {
  const isIndex = name === 'README';
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
        <SiteHeader current={isIndex ? '/guides' : undefined} />
        <main id="main" class={isIndex ? 'index' : undefined} tabindex={-1}>
          {raw(isIndex ? html : withContents(html, headings))}
          {!isIndex && <Onward next={next} />}
        </main>
        <Footer />
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
};

/** Below the title. */
const withContents = (html: string, headings: Heading[]): string => {
  if (headings.length < fewestForContents) return html;
  const contents = <Contents headings={headings} />;
  return html.replace('</h1>', () => `</h1>${contents}`);
};

/** Folded on a phone, where it would fill the first screen; a link that stays leads back to it and unfolds it. */
const Contents = ({ headings }: { headings: Heading[] }) => (
  <>
    <nav class="contents" aria-label="On this page">
      <p aria-hidden="true">On this page</p>
      <details>
        <summary>On this page</summary>
        <div id="contents">
          <Places headings={headings} />
        </div>
      </details>
    </nav>
    <a class="to-contents" href="#contents">
      On this page
    </a>
  </>
);

const Places = ({ headings }: { headings: Heading[] }) => (
  <ul>
    {headings.map(({ id, label, parts }) => (
      <li>
        <a href={`#${id}`}>{raw(label)}</a>
        {parts.length > 0 && <Places headings={parts} />}
      </li>
    ))}
  </ul>
);

const Onward = ({ next }: Pick<GuidePage, 'next'>) => (
  <nav class="onward" aria-label="What comes next">
    {next && <a href={`/guides/${next.name}`}>Next: {next.title}</a>}
    <a href="/dashboard">Open the dashboard</a>
  </nav>
);

const Footer = () => (
  <footer>
    <a href="/">Start page</a>
    <a href="/me">Your data</a>
    <a href="/openapi.json">OpenAPI</a>
  </footer>
);
