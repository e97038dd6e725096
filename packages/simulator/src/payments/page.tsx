/** @jsxImportSource hono/jsx */
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

const style = readFileSync(new URL('./pages.css', import.meta.url), 'utf8');
const styleHash = `sha256-${new Bun.CryptoHasher('sha256').update(style).digest('base64')}`;

const policy = [
  "default-src 'none'",
  `style-src '${styleHash}'`,
  'img-src data:',
  // A browser holds the redirects after a form to this: they lead back to the merchant.
  "form-action 'self' http: https:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Page = { title: string; status?: 200 | 404 | 409; isWide?: boolean };

export const sendPage = (c: Context, { title, status = 200, isWide }: Page, content: Child) => {
  c.header('Content-Security-Policy', policy);
  c.header('Referrer-Policy', 'no-referrer');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Cache-Control', 'no-store');
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style>{raw(style)}</style>
      </head>
      <body>
        <main class={isWide ? 'wide' : ''}>{content}</main>
        <footer>Payment simulator. No money moves here.</footer>
      </body>
    </html>
  );
  return c.html(`<!doctype html>${page}`, status);
};

export const sendNothingHere = (c: Context) =>
  sendPage(
    c,
    { title: 'Nothing to pay here', status: 404 },
    <>
      <h1>Nothing to pay here</h1>
      <p>This link stands for no payment. The simulator forgets them when it is restarted.</p>
    </>,
  );

/** A list of what one pays for, or of the facts of a payment. */
export const Facts = ({ facts }: { facts: [string, Child][] }) => (
  <dl>
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

type Choice = { step: string; words: string; kind?: 'primary' | 'danger' };

/** One button for each thing that may happen next. */
export const Choices = ({ action, choices }: { action: string; choices: Choice[] }) => (
  <form method="post" action={action}>
    <div class="actions">
      {choices.map(({ step, words, kind = '' }) => (
        <button type="submit" name="step" value={step} class={kind}>
          {words}
        </button>
      ))}
    </div>
  </form>
);
