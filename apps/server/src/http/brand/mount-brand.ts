import type { Hono } from 'hono';
import { type Asset, makeAsset, makeBinaryAsset, readBytesBeside, sendAsset } from '../assets.ts';
import type { HttpEnv } from '../context.ts';
import { tileMark } from './mark.ts';
import { dashboardTokenSheet, tokenSheet } from './tokens.ts';

const binary = (type: string, path: string): Asset =>
  makeBinaryAsset(type, readBytesBeside(import.meta.url, path));

const font = binary('font/woff2', './display.woff2');
const touchIcon = binary('image/png', './touch-icon.png');
const fontUrl = `/brand/display.woff2?v=${font.hash}`;

/** Begins the stylesheet of every page that the service renders. */
export const pageTokens = tokenSheet(fontUrl);

/** The same for the dashboard. */
export const dashboardTokens = dashboardTokenSheet(fontUrl);

const icon = makeAsset('image/svg+xml', tileMark);
/** For the head of every page: the mark in tabs and on home screens, and the font in time for the first text. */
export const headLinks = [
  `<link rel="icon" href="/favicon.svg?v=${icon.hash}" type="image/svg+xml">`,
  `<link rel="apple-touch-icon" href="/brand/touch-icon.png?v=${touchIcon.hash}">`,
  `<link rel="preload" href="${fontUrl}" as="font" type="font/woff2" crossorigin>`,
].join('');

const assets: Record<string, Asset> = {
  '/brand/display.woff2': font,
  '/brand/touch-icon.png': touchIcon,
  '/brand/social.png': binary('image/png', './social.png'),
  '/favicon.svg': icon,
  // Asked for by browsers that know no other icon.
  '/favicon.ico': binary('image/png', './favicon.png'),
};

export const mountBrand = (app: Hono<HttpEnv>): void => {
  for (const [path, asset] of Object.entries(assets)) {
    app.get(path, (context) => sendAsset(context, asset));
  }
};
