import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { sha256Hex } from '../kernel/sha256.ts';
import type { HttpEnv } from './admission.ts';

/** A file of ours that never changes while the process lives. */
export type Asset = { type: string; plain: string; zipped: Uint8Array<ArrayBuffer>; hash: string };

export const makeAsset = (type: string, plain: string): Asset => ({
  type: `${type}; charset=utf-8`,
  plain,
  zipped: Bun.gzipSync(plain),
  hash: sha256Hex(plain).slice(0, 16),
});

/** A file beside the one whose `import.meta.url` is given. */
export const readBeside = (moduleUrl: string, path: string): string =>
  readFileSync(new URL(path, moduleUrl), 'utf8');

/** TypeScript for the browser, as the browser takes it. */
export const browserScript = (source: string): Asset =>
  makeAsset(
    'text/javascript',
    new Bun.Transpiler({ loader: 'ts', target: 'browser' }).transformSync(source),
  );

/** Kept for ever by browsers that asked for it by its hash, looked at again by the others. */
export const sendAsset = (
  context: Context<HttpEnv>,
  { type, plain, zipped, hash }: Asset,
  { isNamedByHash = context.req.query('v') === hash } = {},
): Response => {
  const etag = `W/"${hash}"`;
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
