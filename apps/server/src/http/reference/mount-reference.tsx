/** @jsxImportSource hono/jsx */
import type { OpenApiDocument } from '@holdfast/contract';
import type { Hono } from 'hono';
import { once } from '../../kernel/concurrency.ts';
import { browserScript, makeAsset, readBeside, sendAsset } from '../assets.ts';
import { pageTokens } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';
import type { LimitsOf } from './guide.ts';
import { referenceMarkdown } from './markdown.ts';
import { referenceHtml } from './page.tsx';

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API reference: one page with its style and script, rendered at the first request; as text for programs. */
export const mountReference = (
  app: Hono<HttpEnv>,
  description: () => OpenApiDocument,
  limitsOf: LimitsOf,
): void => {
  const style = once(() => makeAsset('text/css', styleSheets()));
  const script = once(() => browserScript(readBeside(import.meta.url, './browser.ts')));
  const page = once(() =>
    makeAsset(
      'text/html',
      referenceHtml(description(), limitsOf, {
        style: `/docs/style.css?v=${style().hash}`,
        script: `/docs/script.js?v=${script().hash}`,
      }),
    ),
  );

  app.get('/docs', (context) => {
    context.header('Content-Security-Policy', contentSecurityPolicy);
    context.header('Referrer-Policy', 'no-referrer');
    return sendAsset(context, page());
  });
  const text = once(() => makeAsset('text/markdown', referenceMarkdown(description(), limitsOf)));
  app.get('/docs/api.md', (context) => sendAsset(context, text()));
  app.get('/docs/style.css', (context) => sendAsset(context, style()));
  app.get('/docs/script.js', (context) => sendAsset(context, script()));
};

const styleSheets = (): string =>
  [
    pageTokens,
    ...['./base', '../brand/site-header', './tables', './contents', './layout'].map((part) =>
      readBeside(import.meta.url, `${part}.css`),
    ),
  ].join('\n');
