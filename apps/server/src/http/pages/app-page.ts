import type { Context } from 'hono';
import { newToken } from '../../kernel/ids.ts';
import { dashboardTokensUrl, headLinks } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';

type AppPage = { title: string; script: string; style: string };

/** The page of a single-page application: no inline script, styles by nonce. */
export const sendAppPage = (
  context: Context<HttpEnv>,
  { title, script, style }: AppPage,
): Response => {
  const nonce = newToken();
  context.header('Content-Security-Policy', policyOf(nonce));
  context.header('Referrer-Policy', 'same-origin');
  context.header('Cache-Control', 'no-store');
  context.header('Content-Type', 'text/html; charset=utf-8');
  return context.body(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${headLinks}
<title>${title}</title>
<link rel="stylesheet" href="${dashboardTokensUrl}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}" nonce="${nonce}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The API does not: see /docs.</noscript>
</body>
</html>
`);
};

const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
