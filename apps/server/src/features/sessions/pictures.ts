import type { Context, Hono } from 'hono';
import type { Database } from '../../db/connect.ts';
import type { HttpEnv } from '../../http/admission.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { ImageRef, Platform } from '../../platform/port.ts';
import { findSession } from './sign-in.tsx';

type PictureTools = { db: Database; platform: Pick<Platform, 'readImage'> };

const patienceMs = 5000;

/**
 * People's and servers' pictures for the dashboard, read from the platform by us: a browser that looks
 * at it speaks to nobody else. Only for those who are signed in, and only what the platform's own
 * address for a picture can name.
 */
export const mountPictures = (app: Hono<HttpEnv>, tools: PictureTools): void => {
  app.get('/dashboard/pictures/avatars/:id/:hash', (context) => {
    const named = nameOf(context);
    const image = named && ({ kind: 'userAvatar', userId: named.id, hash: named.hash } as const);
    return sendPicture(context, tools, image, 'avatar');
  });
  app.get('/dashboard/pictures/icons/:id/:hash', (context) => {
    const named = nameOf(context);
    const image = named && ({ kind: 'guildIcon', guildId: named.id, hash: named.hash } as const);
    return sendPicture(context, tools, image, 'server');
  });
};

/** Undefined where the address cannot be that of a picture. */
const nameOf = (context: Context<HttpEnv>): { id: string; hash: string } | undefined => {
  const { id = '', hash = '' } = context.req.param();
  return /^\d{1,20}$/.test(id) && /^\w{1,64}$/.test(hash) ? { id, hash } : undefined;
};

const sendPicture = async (
  context: Context<HttpEnv>,
  { db, platform }: PictureTools,
  image: ImageRef | undefined,
  placeholder: 'avatar' | 'server',
): Promise<Response> => {
  if (!image) return context.notFound();
  if (!(await findSession(context, db))) return context.body(null, 401);
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const { contentType, bytes } = await platform.readImage(image, signal, { isSmall: true });
    // Another picture has another hash.
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
