import type { Context, Hono } from 'hono';
import type { HttpEnv } from '../../../http/context.ts';
import { createAccountSemaphore } from '../../../http/limits/account-concurrency.ts';
import { createObjectReader } from '../../backups/objects/read-objects.ts';
import { findUploadByToken } from '../queries.ts';
import type { UploadDependencies } from './store-picture.ts';

const contentType = 'image/webp';
const reads = { atOnce: 8, longestWaitMs: 3000 };

export const pictureUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}/uploads/${token}.webp`;

/** Whatever a picture holds, a browser shows it as a picture and as nothing else. */
const headers = {
  'Content-Type': contentType,
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** Serves pictures to everybody who has the address. */
export const mountPictures = (app: Hono<HttpEnv>, { db, blobs }: UploadDependencies): void => {
  // A flood of one account's visitors leaves the store to the others.
  const limitReads = createAccountSemaphore(reads);
  app.get('/uploads/:name{[\\w-]{43}\\.webp}', async (context: Context<HttpEnv>) => {
    context.set('operation', 'showPicture');
    const [token = ''] = (context.req.param('name') ?? '').split('.');
    const upload = await findUploadByToken(db, token);
    if (!upload) return context.notFound();
    const etag = `"${upload.hash.slice(0, 32)}"`;
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    context.header('ETag', etag);
    if (context.req.header('If-None-Match')?.includes(etag)) return context.body(null, 304);
    const read = createObjectReader(db, blobs, upload.accountId);
    const bytes = await limitReads(upload.accountId, () => read(upload.hash));
    return context.body(new Uint8Array(bytes));
  });
};
