import type { Context, Hono } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { ImageRef, Platform } from '../../../platform/port.ts';
import { findSession } from '../sign-in/session-cookie.ts';

type PictureDependencies = { db: Database; platform: Pick<Platform, 'readImage'> };

const timeoutMs = 5000;

/**
 * Avatars and icons for the dashboard, read from the platform by the service, so that the browser calls
 * no other host. Only for signed-in people, and only for ids and hashes as the platform forms them.
 */
export const mountPictures = (app: Hono<HttpEnv>, dependencies: PictureDependencies): void => {
  app.get('/dashboard/pictures/avatars/:id/:hash', (context) => {
    const named = readImageId(context);
    const image = named && ({ kind: 'userAvatar', userId: named.id, hash: named.hash } as const);
    return sendPicture(context, dependencies, image, 'avatar');
  });
  app.get('/dashboard/pictures/icons/:id/:hash', (context) => {
    const named = readImageId(context);
    const image = named && ({ kind: 'guildIcon', guildId: named.id, hash: named.hash } as const);
    return sendPicture(context, dependencies, image, 'server');
  });
};

/** Undefined where the path cannot be that of an image. */
const readImageId = (context: Context<HttpEnv>): { id: string; hash: string } | undefined => {
  const { id = '', hash = '' } = context.req.param();
  return /^\d{1,20}$/.test(id) && /^\w{1,64}$/.test(hash) ? { id, hash } : undefined;
};

const sendPicture = async (
  context: Context<HttpEnv>,
  { db, platform }: PictureDependencies,
  image: ImageRef | undefined,
  placeholder: 'avatar' | 'server',
): Promise<Response> => {
  if (!image) return context.notFound();
  if (!(await findSession(context, db))) return context.body(null, 401);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { contentType, bytes } = await platform.readImage(image, signal, { isSmall: true });
    // A changed image has another hash.
    context.header('Cache-Control', 'private, max-age=604800, immutable');
    context.header('Content-Type', contentType);
    context.header('Content-Security-Policy', "default-src 'none'; sandbox");
    return context.body(bytes);
  } catch (error) {
    if (!(error instanceof PlatformFailure || isTimeout(error))) throw error;
    return context.redirect(`/placeholder/${placeholder}.svg`, 302);
  }
};

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';
