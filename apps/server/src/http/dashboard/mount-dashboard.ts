import type { DashboardBuild } from '@holdfast/dashboard/build';
import type { Hono } from 'hono';
import type { Database } from '../../db/connect.ts';
import { makeAsset, sendAsset } from '../assets.ts';
import type { HttpEnv } from '../context.ts';
import { sendAppPage } from '../pages/app-page.ts';
import { findDashboardFile } from './queries.ts';

const assetsPath = '/dashboard/assets';
/** What the bundler calls its files: anything else cannot be one of another release either. */
const fileName = /^[\w-]{1,60}-[0-9a-z]{6,16}\.(js|css)$/;

/** What the script asks for first (`readFirstAnswers`): the browser can begin before it has the script. */
const frameAnswers = ['account', 'servers?limit=100', 'alerts/unread'].map(
  (path) => `/dashboard/api/${path}`,
);
const overviewAnswers = ['overview', 'backup-usage'].map((path) => `/dashboard/api/${path}`);

/**
 * Serves the dashboard from memory: one page, whose script shows what the address names. The files of other releases
 * come from the database. Mounted last, because its API is below the same path.
 */
export const mountDashboard = (
  app: Hono<HttpEnv>,
  db: Database,
  { scripts, style, frame, files }: DashboardBuild,
): void => {
  const assets = new Map(files.map(({ name, type, text }) => [name, makeAsset(type, text)]));
  const findElsewhere = async (name: string) => {
    const file = fileName.test(name) ? await findDashboardFile(db, name) : undefined;
    return file && makeAsset(file.type, file.text);
  };
  app.get(`${assetsPath}/:name`, async (context) => {
    const name = context.req.param('name');
    const asset = assets.get(name) ?? (await findElsewhere(name));
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
