import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { sha256Hex } from '../kernel/hash.ts';
import type { HttpEnv } from './context.ts';

/** A file that does not change while the process runs. */
export type Asset = {
  type: string;
  plain: string | Uint8Array<ArrayBuffer>;
  /** Absent where the format is compressed itself. */
  zipped?: Uint8Array<ArrayBuffer>;
  hash: string;
};

export const makeAsset = (type: string, plain: string): Asset => ({
  type: `${type}; charset=utf-8`,
  plain,
  zipped: Bun.gzipSync(plain),
  hash: sha256Hex(plain).slice(0, 16),
});

/** A picture or a font. */
export const makeBinaryAsset = (type: string, plain: Uint8Array<ArrayBuffer>): Asset => ({
  type,
  plain,
  hash: sha256Hex(plain).slice(0, 16),
});

export const readBytesBeside = (moduleUrl: string, path: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(path, moduleUrl)));

/** A file beside the one whose `import.meta.url` is given. */
export const readBeside = (moduleUrl: string, path: string): string =>
  readFileSync(new URL(path, moduleUrl), 'utf8');

/** Transpiles TypeScript for the browser. */
export const browserScript = (source: string): Asset =>
  makeAsset(
    'text/javascript',
    new Bun.Transpiler({ loader: 'ts', target: 'browser' }).transformSync(source),
  );

/** Cached for ever where the URL has the hash (`?v=`); otherwise revalidated by ETag. */
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
  const takesGzip = /\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '');
  if (!zipped || !takesGzip) return context.body(plain);
  context.header('Content-Encoding', 'gzip');
  return context.body(zipped);
};
