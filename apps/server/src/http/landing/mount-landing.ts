import type { Context, Hono } from 'hono';
import { makeAsset, readBeside, sendAsset } from '../assets.ts';
import { pageTokens } from '../brand/mount-brand.ts';
import type { HttpEnv } from '../context.ts';
import { landingHtml } from './landing-page.tsx';
import { pictures, picturesPath } from './pictures.tsx';

type LandingDependencies = {
  baseUrl: string;
  /** The platform may send people back to `/` from a verification, if that is the address of their bot. */
  answerStrayCallback(context: Context<HttpEnv>): Promise<Response> | undefined;
  /** Owners who are signed in go on to the dashboard. */
  isSignedInOwner(context: Context<HttpEnv>): Promise<boolean>;
};

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** In the order of the page; what is different on wide screens comes last. */
const styleSheets = ['landing', 'hero', 'sections', 'wide'].map((part) =>
  readBeside(import.meta.url, `./${part}.css`),
);
const style = makeAsset('text/css', [pageTokens, ...styleSheets].join('\n'));
const stylePath = `${picturesPath}/style.css`;

/** The landing page with its style and pictures. */
export const mountLanding = (
  app: Hono<HttpEnv>,
  { baseUrl, answerStrayCallback, isSignedInOwner }: LandingDependencies,
): void => {
  const page = makeAsset(
    'text/html',
    landingHtml({ style: `${stylePath}?v=${style.hash}`, baseUrl }),
  );
  app.get('/', async (context) => {
    const callback = answerStrayCallback(context);
    if (callback) return callback;
    if (await isSignedInOwner(context)) return context.redirect('/dashboard', 303);
    context.header('Content-Security-Policy', contentSecurityPolicy);
    context.header('Referrer-Policy', 'same-origin');
    return sendAsset(context, page);
  });
  app.get(stylePath, (context) => sendAsset(context, style));
  app.get(`${picturesPath}/:file`, (context) => {
    const picture = pictures.get(context.req.param('file'));
    return picture ? sendAsset(context, picture) : context.notFound();
  });
};
