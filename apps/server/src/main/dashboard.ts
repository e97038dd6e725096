import type { DashboardBuild } from '@holdfast/dashboard/build';
import type { Hono } from 'hono';
import { makeAsset, sendAsset } from '../http/assets.ts';
import type { HttpEnv } from '../http/context.ts';
import { sendAppPage } from '../http/pages/app-page.ts';

const assetsPath = '/dashboard/assets';

/** What the script asks for first (`readFirstAnswers`): the browser can begin before it has the script. */
const frameAnswers = ['account', 'servers?limit=100', 'alerts/unread'].map(
  (path) => `/dashboard/api/${path}`,
);
const overviewAnswers = ['overview', 'backup-usage'].map((path) => `/dashboard/api/${path}`);

/**
 * Serves the dashboard from memory: one page, whose script shows what the address names. Mounted last,
 * because its API is below the same path.
 */
export const mountDashboard = (
  app: Hono<HttpEnv>,
  { scripts, style, frame, files }: DashboardBuild,
): void => {
  const assets = new Map(files.map(({ name, type, text }) => [name, makeAsset(type, text)]));
  app.get(`${assetsPath}/:name`, (context) => {
    const asset = assets.get(context.req.param('name'));
    // Every name contains a hash, so the content of a name never changes.
    return asset ? sendAsset(context, asset, { isNamedByHash: true }) : context.notFound();
  });
  const page = {
    title: 'Holdfast',
    scripts: scripts.map((name) => `${assetsPath}/${name}`),
    style: `${assetsPath}/${style}`,
    frame,
  };
  const overview = { ...page, answers: [...frameAnswers, ...overviewAnswers] };
  app.get('/dashboard', (context) => sendAppPage(context, overview));
  app.get('/dashboard/*', (context) => sendAppPage(context, { ...page, answers: frameAnswers }));
};
