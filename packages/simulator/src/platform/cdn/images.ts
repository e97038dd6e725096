import type { StoredImage } from '../guild/guild.ts';
import type { World } from '../guild/world.ts';
import { invalidField } from '../http/api-error.ts';
import type { PlatformApp, PlatformContext } from '../platform.ts';
import { sha256Hex } from '../snowflakes.ts';
import { drawDiscPng } from './png.ts';

const MIME_OF_EXTENSION: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  json: 'application/json',
};

/** The CDN's folder for each kind of image: `/cdn/<folder>/<owner>/<hash>.png`. */
const FOLDER_OF_KIND = {
  icon: 'icons',
  splash: 'splashes',
  discovery_splash: 'discovery-splashes',
  banner: 'banners',
  avatar: 'avatars',
  role_icon: 'role-icons',
  event_cover: 'guild-events',
} as const;

/**
 * Stores the image of a data URI and returns its hash, which begins with `a_` if it is animated.
 * `field` is where the request has it.
 */
export const storeImage = (
  world: World,
  kind: keyof typeof FOLDER_OF_KIND,
  ownerId: string,
  dataUri: string,
  field: string = kind,
): string => {
  const image = parseDataUri(dataUri, field);
  const digest = new Bun.CryptoHasher('md5').update(image.base64).digest('hex');
  const hash = image.mime === 'image/gif' ? `a_${digest}` : digest;
  world.images.set(`${FOLDER_OF_KIND[kind]}/${ownerId}/${hash}`, image);
  return hash;
};

export const parseDataUri = (dataUri: string, field: string): StoredImage => {
  const [, named, base64] =
    /^data:(image\/(?:png|jpe?g|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/.exec(dataUri) ?? [];
  if (!named || !base64) {
    throw invalidField([field], 'BASE_TYPE_BAD', 'Invalid image data.');
  }
  // Clients name any image jpg: its first bytes say what it is.
  const mime = mimeOfBytes(base64) ?? named.replace('jpg', 'jpeg');
  return { mime, base64 };
};

const SIGNATURES: [mime: string, signature: RegExp][] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF....WEBP/s],
];

const mimeOfBytes = (base64: string): string | undefined => {
  const start = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1');
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
};

export const mimeOfFileName = (name: string): string =>
  MIME_OF_EXTENSION[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream';

/**
 * Attachments by their path, images by theirs without extension: which format was requested does not
 * matter here.
 */
export const mountCdn = (app: PlatformApp, images: World['images']) => {
  app.get('/cdn/:path{.+}', (c, next) => {
    const path = c.req.param('path');
    const [, key = '', extension = ''] = /^(.*?)(?:\.(\w+))?$/.exec(path) ?? [];
    const image = images.get(path) ?? images.get(key);
    if (!image) return next();
    if (extension === 'gif' && image.mime !== 'image/gif') return c.text('', 415);
    return c.body(Buffer.from(image.base64, 'base64'), 200, { 'Content-Type': image.mime });
  });
  mountAvatars(app);
  app.get('/cdn/*', (c) => c.text('', 404));
};

const DEFAULT_AVATAR_COLOURS = [0x4f5bd5, 0x5b6675, 0x2a7549, 0x8f5a0a, 0xb83a42, 0xa13a86];
const AVATAR_SIZE_PX = 64;

/** The image of an uploaded avatar is a disc whose colour is derived from its hash. */
const mountAvatars = (app: PlatformApp): void => {
  app.get('/cdn/embed/avatars/:file{[0-5]\\.png}', (c) =>
    sendDisc(c, DEFAULT_AVATAR_COLOURS[Number(c.req.param('file').charAt(0))] ?? 0),
  );
  app.get('/cdn/avatars/:user{\\d{1,20}}/:file{(a_)?[0-9a-f]{32}\\.png}', (c) => {
    const hash = sha256Hex(`${c.req.param('user')}/${c.req.param('file')}`);
    return sendDisc(c, Number.parseInt(hash.slice(0, 6), 16));
  });
};

const sendDisc = (c: PlatformContext, colour: number): Response =>
  c.body(Uint8Array.from(drawDiscPng(AVATAR_SIZE_PX, colour)), 200, {
    'Content-Type': 'image/png',
    'Cache-Control': 'public, max-age=31536000',
  });
