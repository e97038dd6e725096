import type { Context, Env, Hono } from 'hono';
import { sha256Hex } from './oauth-snowflakes.ts';
import { drawDiscPng } from './png.ts';

/** What users without an avatar of their own are shown with. */
const defaultColours = [0x4f5bd5, 0x5b6675, 0x2a7549, 0x8f5a0a, 0xb83a42, 0xa13a86];

/** Avatars as the platform's image host serves them; an uploaded one has the colour of its hash. */
export const mountCdnAvatars = <E extends Env>(app: Hono<E>): void => {
  app.get('/cdn/embed/avatars/:file{[0-5]\\.png}', (c) =>
    sendDisc(c, defaultColours[Number(c.req.param('file').charAt(0))] ?? 0),
  );
  app.get('/cdn/avatars/:user{\\d{1,20}}/:file{(a_)?[0-9a-f]{32}\\.png}', (c) => {
    const hash = sha256Hex(`${c.req.param('user')}/${c.req.param('file')}`);
    return sendDisc(c, Number.parseInt(hash.slice(0, 6), 16));
  });
};

const sizePx = 64;

const sendDisc = (c: Context, colour: number): Response =>
  c.body(Uint8Array.from(drawDiscPng(sizePx, colour)), 200, {
    'Content-Type': 'image/png',
    'Cache-Control': 'public, max-age=31536000',
  });
