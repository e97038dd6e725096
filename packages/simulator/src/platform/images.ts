import { invalidField } from './api-error.ts';
import type { StoredImage } from './guild-state.ts';
import type { PlatformApp } from './platform.ts';
import type { World } from './world.ts';

const MIME_OF_EXTENSION: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  json: 'application/json',
};

/** Where the CDN keeps each kind of image: `/cdn/<folder>/<owner>/<hash>.png`. */
const FOLDER_OF_KIND = {
  icon: 'icons',
  splash: 'splashes',
  discovery_splash: 'discovery-splashes',
  banner: 'banners',
} as const;

/** Keeps the image of a data URI and gives its hash; an animated one begins with `a_`. */
export const storeImage = (
  world: World,
  kind: keyof typeof FOLDER_OF_KIND,
  ownerId: string,
  dataUri: string,
): string => {
  const image = parseDataUri(dataUri, kind);
  const digest = new Bun.CryptoHasher('md5').update(image.base64).digest('hex');
  const hash = image.mime === 'image/gif' ? `a_${digest}` : digest;
  world.images.set(`${FOLDER_OF_KIND[kind]}/${ownerId}/${hash}`, image);
  return hash;
};

export const parseDataUri = (dataUri: string, field: string): StoredImage => {
  const [, mime, base64] =
    /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/.exec(dataUri) ?? [];
  if (!mime || !base64) {
    throw invalidField([field], 'BASE_TYPE_BAD', 'Invalid image data.');
  }
  return { mime, base64 };
};

/** The path without its extension names the image; which form is asked for does not matter here. */
export const mountCdn = (app: PlatformApp, world: World) => {
  app.get('/cdn/:path{.+}', (c) => {
    const [, key = '', extension = ''] = /^(.*?)(?:\.(\w+))?$/.exec(c.req.param('path')) ?? [];
    const image = world.images.get(key);
    if (!image) return c.text('', 404);
    const isAnimation = extension === 'gif' && image.mime !== 'image/gif';
    if (isAnimation) return c.text('', 415);
    return c.body(Buffer.from(image.base64, 'base64'), 200, { 'Content-Type': image.mime });
  });
};

export const mimeOfFileName = (name: string): string =>
  MIME_OF_EXTENSION[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';
