/** @jsxImportSource hono/jsx */
import { dashboardApiPrefix } from '@holdfast/contract';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';
import { languageOf } from '../languages/page-language.ts';
import { type PageOptions, sendPage } from './page.tsx';
import type { PageTexts } from './texts/en.ts';
import { pageTexts } from './texts/page-texts.ts';

type ErrorStatus = NonNullable<PageOptions['status']>;

/** A person looks at the answer: their browser asks for HTML, and not at an address of the API. */
export const asksForPage = ({ req }: Context<HttpEnv>): boolean =>
  (req.header('accept') ?? '').includes('text/html') &&
  !['/api', dashboardApiPrefix].some(
    (prefix) => req.path === prefix || req.path.startsWith(`${prefix}/`),
  );

const textOf = (texts: PageTexts, status: ErrorStatus) => {
  if (status === 404) return texts.notFound;
  if (status === 429) return texts.tooMany;
  if (status === 503) return texts.unavailable;
  return status === 500 ? texts.failed : texts.refused;
};

/** A form that was refused cannot be sent again by following a link. */
const canBeAskedAgain = ({ req }: Context<HttpEnv>): boolean => req.method === 'GET';

const pathOf = ({ req }: Context<HttpEnv>): string => {
  const { pathname, search } = new URL(req.url);
  return `${pathname}${search}`;
};

export const sendErrorPage = (
  context: Context<HttpEnv>,
  status: ErrorStatus,
  headers: Record<string, string> = {},
) => {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const language = languageOf(context);
  const texts = pageTexts[language];
  const { title, message } = textOf(texts, status);
  return sendPage(
    context,
    {
      title,
      status,
      language,
      ...(canBeAskedAgain(context) && { languageSwitch: pathOf(context) }),
    },
    <>
      <p class="status">{status}</p>
      <h1>{title}</h1>
      <p>{message}</p>
      {status === 404 && <p class="quiet">{texts.newLink}</p>}
      {status === 500 && (
        <p class="quiet">
          {texts.requestId} <code>{context.var.requestId}</code>
        </p>
      )}
      <div class="actions">
        <a class="button" href="/">
          {texts.startPage}
        </a>
        <a class="button plain" href="/guides">
          {texts.guides}
        </a>
      </div>
    </>,
  );
};
