/** @jsxImportSource hono/jsx */
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

type Style = { css: string; hash: string };

const base = readFileSync(new URL('./base.css', import.meta.url), 'utf8');

/** The style is inlined; the Content-Security-Policy allows it alone, by its hash. */
export const loadStyle = (file: URL): Style => {
  const css = base + readFileSync(file, 'utf8');
  return { css, hash: new Bun.CryptoHasher('sha256').update(css).digest('base64') };
};

const paymentStyle = loadStyle(new URL('./payments.css', import.meta.url));

type Page = {
  title: string;
  status?: 200 | 400 | 404;
  isWide?: boolean;
  style?: Style;
  /** Said first, so that nobody takes the page for the real one. */
  banner?: string;
  /** Where a form may lead beside the web: browsers apply `form-action` to every redirect after it. */
  formTargets?: string[];
};

export const sendPage = (c: Context, page: Page, content: Child) => {
  const { title, status = 200, isWide, style = paymentStyle, formTargets = [] } = page;
  const { banner = 'Payment simulator. No money moves here.' } = page;
  const targets = new Set(["'self'", 'http:', 'https:', ...formTargets]);
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${style.hash}'`,
    'img-src data:',
    `form-action ${[...targets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  c.header('Content-Security-Policy', policy);
  c.header('Referrer-Policy', 'no-referrer');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Cache-Control', 'no-store');
  const html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <style>{raw(style.css)}</style>
      </head>
      <body>
        <main class={isWide ? 'wide' : ''}>
          <p class="banner">{banner}</p>
          {content}
        </main>
      </body>
    </html>
  );
  return c.html(`<!doctype html>${html}`, status);
};

export const sendNotFound = (c: Context) =>
  sendPage(
    c,
    { title: 'Nothing to pay here', status: 404 },
    <>
      <h1>Nothing to pay here</h1>
      <p>This link belongs to no payment. The simulator loses them when it is restarted.</p>
    </>,
  );

export const DescriptionList = ({ rows }: { rows: [string, Child][] }) => (
  <dl>
    {rows.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

type Action = { step: string; label: string; kind?: 'primary' | 'danger' };

/** A form with one button per action. */
export const Actions = ({ path, actions }: { path: string; actions: Action[] }) => (
  <form method="post" action={path}>
    <div class="actions">
      {actions.map(({ step, label, kind = '' }) => (
        <button type="submit" name="step" value={step} class={kind}>
          {label}
        </button>
      ))}
    </div>
  </form>
);

/** An amount in the currency's smallest unit, as the card provider counts. */
export const formatMinorUnits = (amount: number, currency: string): string => {
  const digits = numberFormatOf(currency)?.resolvedOptions().maximumFractionDigits ?? 2;
  return formatAmount(amount / 10 ** digits, currency);
};

/** An amount in the currency's own unit, as the crypto provider counts. */
export const formatAmount = (amount: number, currency: string): string =>
  numberFormatOf(currency)?.format(amount) ?? `${amount} ${currency}`;

/** Undefined for the name of a coin, which `Intl` does not know. */
const numberFormatOf = (currency: string): Intl.NumberFormat | undefined =>
  /^[a-zA-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat('en', { style: 'currency', currency })
    : undefined;
