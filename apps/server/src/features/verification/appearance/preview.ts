import { accentProblem } from '@holdfast/contract';
import type { Hono } from 'hono';
import { z } from 'zod';
import { makeAsset, sendAsset } from '../../../http/assets.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { commonStyleText } from '../../../http/pages/page.tsx';
import { findOwnerSession } from '../../sessions/dashboard/authenticate.ts';
import { sendServerNotFound } from '../pages/error-pages.tsx';
import type { PageRequest, VerificationDependencies } from '../pages/page-context.ts';
import { withServer } from '../pages/server-page.tsx';
import { sendVisitPage } from '../visit/visit.tsx';
import { styleTextOf } from './page-style.ts';

/** What is not valid, such as a colour that is being typed, is not worn. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().catch(null);

const token = orNull(z.string().regex(/^[\w-]{43}$/));
const unsaved = z.object({
  title: orNull(z.string().min(1).max(100)),
  welcome: orNull(z.string().min(1).max(1000)),
  accent: orNull(z.string().refine((color) => accentProblem(color) === undefined)),
  logo: token,
  background: token,
  scheme: z.enum(['light', 'dark']).catch('light'),
});
type Unsaved = z.output<typeof unsaved>;

const previewPath = '/dashboard/verify-preview/:serverId';

/**
 * The first page as it would be with settings that are not saved yet, and in either colour scheme. The
 * dashboard shows it to the server's owner in a frame. It counts no visit.
 */
export const mountPreview = (app: Hono<HttpEnv>, dependencies: VerificationDependencies): void => {
  app.get(previewPath, withServer(dependencies, 'verify.preview', forOwner(showPreview)));
  app.get(`${previewPath}/style.css`, withServer(dependencies, 'verify.previewStyle', sendStyle));
};

const forOwner =
  (handle: (request: PageRequest) => Promise<Response>) =>
  async (request: PageRequest): Promise<Response> => {
    const owner = await findOwnerSession(request.context, request.db);
    return owner?.account.id === request.server.accountId
      ? handle(request)
      : sendServerNotFound(request.context);
  };

const showPreview = async (request: PageRequest): Promise<Response> => {
  const { context } = request;
  const { title, welcome, logo, ...style } = unsaved.parse(context.req.query());
  const { pathname } = new URL(context.req.url);
  const server = {
    ...request.server,
    ...{ pageTitle: title, welcome, logoToken: logo },
    iconUrl: ownAddressOf(request.server.iconUrl),
    previewStyle: `${pathname}/style.css?${queryOf(style)}`,
  };
  const response = await sendVisitPage({ ...request, server });
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  const framed = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");
  response.headers.set('Content-Security-Policy', framed);
  return response;
};

/** Within the dashboard the browser asks nobody else: the service reads pictures of the platform for it. */
const ownAddressOf = (iconUrl: string | null): string | null => {
  const [, guildId, hash] = /\/icons\/(\d+)\/(\w+)\.\w+$/.exec(iconUrl ?? '') ?? [];
  return guildId === undefined ? null : `/dashboard/pictures/icons/${guildId}/${hash}`;
};

type Style = Pick<Unsaved, 'accent' | 'background' | 'scheme'>;

const queryOf = ({ scheme, accent, background }: Style): URLSearchParams =>
  new URLSearchParams({
    scheme,
    ...(accent !== null && { accent }),
    ...(background !== null && { background }),
  });

/** Comes after the common style and repeats it, with the chosen scheme in place of the browser's. */
const sendStyle = ({ context }: PageRequest): Response => {
  const { accent, background, scheme } = unsaved.parse(context.req.query());
  const text = [commonStyleText, styleTextOf({ accent, backgroundToken: background })].join('\n');
  const isDark = scheme === 'dark' ? '@media all' : '@media not all';
  const forced = text.replaceAll(/@media\s*\(prefers-color-scheme:\s*dark\)/g, isDark);
  return sendAsset(context, makeAsset('text/css', `${forced}\n:root{color-scheme:${scheme}}`));
};
