import type { DashboardBuild } from '@holdfast/dashboard/build';
import type { Hono } from 'hono';
import { makeAsset, sendAsset } from '../http/assets.ts';
import type { HttpEnv } from '../http/context.ts';
import { sendAppPage } from '../http/pages/app-page.ts';

const assetsPath = '/dashboard/assets';

/**
 * Serves the dashboard from memory: one page, whose script shows what the address names. Mounted last,
 * because its API is below the same path.
 */
export const mountDashboard = (
  app: Hono<HttpEnv>,
  { script, style, files }: DashboardBuild,
): void => {
  const assets = new Map(files.map(({ name, type, text }) => [name, makeAsset(type, text)]));
  app.get(`${assetsPath}/:name`, (context) => {
    const asset = assets.get(context.req.param('name'));
    // Every name contains a hash, so the content of a name never changes.
    return asset ? sendAsset(context, asset, { isNamedByHash: true }) : context.notFound();
  });
  const page = {
    title: 'Holdfast',
    script: `${assetsPath}/${script}`,
    style: `${assetsPath}/${style}`,
  };
  app.get('/dashboard', (context) => sendAppPage(context, page));
  app.get('/dashboard/*', (context) => sendAppPage(context, page));
};
