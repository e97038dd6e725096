/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { z } from 'zod';
import { languageOf } from '../../../http/languages/page-language.ts';
import { Name, type PageOptions, sendPage } from '../../../http/pages/page.tsx';
import { pageStylePath } from '../appearance/page-style.ts';
import { findVerificationServer } from '../queries/servers.ts';
import { sendServerNotFound } from './error-pages.tsx';
import type { PageContext, PageRequest, VerificationDependencies } from './page-context.ts';

type Handle = (request: PageRequest) => Response | Promise<Response>;

/** A route of one server; `operation` is its name in logs and metrics. */
export const withServer =
  (dependencies: VerificationDependencies, operation: string, handle: Handle) =>
  async (context: PageContext): Promise<Response> => {
    context.set('operation', operation);
    const { data: serverId } = z.guid().safeParse(context.req.param('serverId'));
    const server = serverId && (await findVerificationServer(dependencies.db, serverId));
    return server ? handle({ ...dependencies, context, server }) : sendServerNotFound(context);
  };

type ServerPageOptions = Omit<
  PageOptions,
  'pictureOrigins' | 'style' | 'language' | 'languageSwitch'
> & {
  heading?: string;
  /** The page's address, where it shows the same once more. */
  again: string;
};

/** A page with the server's icon and name at its top. */
export const sendServerPage = (
  { context, server }: Pick<PageRequest, 'context' | 'server'>,
  { heading, again, ...options }: ServerPageOptions,
  body: Child,
) =>
  sendPage(
    context,
    {
      ...{ ...options, language: languageOf(context), languageSwitch: again },
      ...{ pictureOrigins: originsOf(server.iconUrl), style: pageStylePath(server) },
    },
    <>
      <div class="server">
        <img src={pictureOf(server)} alt="" width="52" height="52" />
        <div>
          <h1>
            <Name>{heading ?? options.title}</Name>
          </h1>
          <div class="quiet">
            <Name>{server.name}</Name>
          </div>
        </div>
      </div>
      {body}
    </>,
  );

const pictureOf = ({ logoToken, iconUrl }: PageRequest['server']): string =>
  logoToken === null ? (iconUrl ?? '/placeholder/server.svg') : `/uploads/${logoToken}.webp`;

/** For the page's content security policy. */
const originsOf = (iconUrl: string | null): string[] => {
  const url = iconUrl === null ? null : URL.parse(iconUrl);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
};
