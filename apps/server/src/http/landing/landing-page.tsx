/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html';
import { inlineMark } from '../brand/mark.ts';
import { headLinks } from '../brand/mount-brand.ts';
import { themeColors } from '../brand/tokens.ts';
import { Hero } from './hero.tsx';
import { ForMembers, ForOperators, ForOwners } from './sections.tsx';

const title = 'Holdfast: verification, tested backups and protection for communities';
const description =
  'Checks who comes into your server, stops whoever attacks it, restores what was destroyed and brings back the members who agreed to it. Self-hosted, with an API.';

type LandingOptions = { style: string; baseUrl: string };

/** The page at `/`: what Holdfast does for owners, members and operators. Needs no script. */
export const landingHtml = ({ style, baseUrl }: LandingOptions): string => {
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
        <title>{title}</title>
        <meta name="description" content={description} />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        <meta property="og:url" content={`${baseUrl}/`} />
        <meta property="og:image" content={`${baseUrl}/brand/social.png`} />
        <meta property="og:image:width" content="1200" />
        <meta property="og:image:height" content="630" />
        <meta name="twitter:card" content="summary_large_image" />
        {raw(headLinks)}
        <link rel="stylesheet" href={style} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Masthead />
        <main id="main" tabindex={-1}>
          <Hero />
          <ForOwners />
          <ForMembers />
          <ForOperators />
          <Closing />
        </main>
        <Footer />
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
};

const Masthead = () => (
  <header class="masthead">
    <a class="home" href="/">
      {raw(inlineMark)}
      Holdfast
    </a>
    <nav aria-label="Main">
      <a class="wide-only" href="#owners">
        Owners
      </a>
      <a class="wide-only" href="#members">
        Members
      </a>
      <a class="wide-only" href="#operators">
        Operators
      </a>
      <a href="/guides">Guides</a>
      <a class="wide-only" href="/docs">
        API
      </a>
      <a class="button small" href="/login?next=/dashboard">
        Sign in
      </a>
    </nav>
  </header>
);

const Closing = () => (
  <section class="closing">
    <h2>Add your server before you need it.</h2>
    <p class="actions">
      <a class="button" href="/login?next=/dashboard">
        Sign in
      </a>
      <a class="button plain" href="/guides/first-server">
        Read how it is set up
      </a>
    </p>
  </section>
);

const Footer = () => (
  <footer>
    <p class="home">
      {raw(inlineMark)}
      Holdfast
    </p>
    <ul>
      <li>
        <a href="/dashboard">Dashboard</a>
      </li>
      <li>
        <a href="/me">Your data</a>
      </li>
      <li>
        <a href="/guides">Guides</a>
      </li>
      <li>
        <a href="/docs">API reference</a>
      </li>
      <li>
        <a href="/openapi.json">OpenAPI</a>
      </li>
    </ul>
    <p class="quiet">Free software under the MIT licence.</p>
  </footer>
);
