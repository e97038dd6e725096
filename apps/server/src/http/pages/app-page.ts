import type { Context } from 'hono';
import { sha256Base64 } from '../../kernel/hash.ts';
import { newToken } from '../../kernel/ids.ts';
import { dashboardTokens, headLinks } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';

type AppPage = {
  title: string;
  /** Run by the script of the frame, in this order. */
  scripts: string[];
  style: string;
  /** Seen until script and stylesheet are there. */
  frame: { html: string; style: string; script: string };
  /** The addresses that the script asks first. */
  answers: string[];
};

/** The page of a single-page application: styles by nonce, and no inline script but that of its frame. */
export const sendAppPage = (
  context: Context<HttpEnv>,
  { title, scripts, style, frame, answers }: AppPage,
): Response => {
  const nonce = newToken();
  context.header('Content-Security-Policy', policyOf(nonce, frame.script));
  context.header('Referrer-Policy', 'same-origin');
  context.header('Cache-Control', 'no-store');
  context.header('Content-Type', 'text/html; charset=utf-8');
  // Low, since the stylesheet is needed before them.
  const scriptLinks = scripts.map(
    (url) => `<link rel="modulepreload" href="${url}" fetchpriority="low">`,
  );
  const answerLinks = answers.map(
    (url) => `<link rel="preload" href="${url}" as="fetch" crossorigin>`,
  );
  // Everything before the stylesheet is painted without waiting for it; the scripts wait. What they draw comes
  // after it, so that styles of single elements, which stand beside them, overrule it.
  return context.body(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${dashboardTokens}${frame.style}</style>
<script>${frame.script}</script>
${headLinks}
${scriptLinks.join('\n')}
${answerLinks.join('\n')}
</head>
<body>
<div id="frame">${frame.html}</div>
<link rel="stylesheet" href="${style}">
<div id="app"></div>
</body>
</html>
`);
};

const policyOf = (nonce: string, inlineScript: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${sha256Base64(inlineScript)}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
