/** @jsxImportSource hono/jsx */
import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '@holdfast/contract';
import type { Context, Hono } from 'hono';
import { sha256Hex } from '../../kernel/sha256.ts';
import type { HttpEnv } from '../admission.ts';
import type { LimitsOf } from './guide.ts';
import { referenceHtml } from './page.tsx';

/** A file of ours that never changes while the process lives. */
type Asset = { type: string; plain: string; zipped: Uint8Array<ArrayBuffer>; hash: string };

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API for people: one page, rendered once, with its style and its script. */
export const mountReference = (
  app: Hono<HttpEnv>,
  description: OpenApiDocument,
  limitsOf: LimitsOf,
): void => {
  const style = makeAsset(
    'text/css',
    ['base', 'tables', 'contents', 'layout'].map((part) => readText(`./${part}.css`)).join('\n'),
  );
  const browserCode = new Bun.Transpiler({ loader: 'ts', target: 'browser' });
  const script = makeAsset('text/javascript', browserCode.transformSync(readText('./browser.ts')));
  const page = makeAsset(
    'text/html',
    referenceHtml(description, limitsOf, {
      style: `/docs/style.css?v=${style.hash}`,
      script: `/docs/script.js?v=${script.hash}`,
    }),
  );

  app.get('/docs', (context) => {
    context.header('Content-Security-Policy', contentSecurityPolicy);
    context.header('Referrer-Policy', 'no-referrer');
    return send(context, page);
  });
  app.get('/docs/style.css', (context) => send(context, style));
  app.get('/docs/script.js', (context) => send(context, script));
};

const readText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const makeAsset = (type: string, plain: string): Asset => ({
  type: `${type}; charset=utf-8`,
  plain,
  zipped: Bun.gzipSync(plain),
  hash: sha256Hex(plain).slice(0, 16),
});

const send = (context: Context<HttpEnv>, { type, plain, zipped, hash }: Asset): Response => {
  const etag = `W/"${hash}"`;
  const isNamedByHash = context.req.query('v') === hash;
  context.header('ETag', etag);
  context.header('Vary', 'Accept-Encoding');
  context.header(
    'Cache-Control',
    isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache',
  );
  if (context.req.header('If-None-Match')?.includes(etag)) return context.body(null, 304);

  context.header('Content-Type', type);
  if (!/\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '')) return context.body(plain);
  context.header('Content-Encoding', 'gzip');
  return context.body(zipped);
};
