import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';

const kinds = ['avatar', 'server'] as const;
export type Picture = (kind: (typeof kinds)[number], url: string | null) => string;

/** The image's own URL, or that of a placeholder. */
export const pictureFrom =
  (baseUrl: string): Picture =>
  (kind, url) =>
    url ?? `${baseUrl}/placeholder/${kind}.svg`;

const svg = (shape: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img"><rect width="64" height="64" rx="14" fill="#5b6b7f"/><g fill="#e9eef4">${shape}</g></svg>`;

const pictures = {
  avatar: svg('<circle cx="32" cy="25" r="11"/><path d="M11 57a21 19 0 0 1 42 0z"/>'),
  server: svg('<path d="M14 16h36v12H14zM14 36h36v12H14z"/>'),
};

export const mountPlaceholders = (app: Hono<HttpEnv>): void => {
  for (const kind of kinds) {
    app.get(`/placeholder/${kind}.svg`, (context) => {
      context.header('Content-Type', 'image/svg+xml');
      context.header('Cache-Control', 'public, max-age=86400');
      return context.body(pictures[kind]);
    });
  }
};
