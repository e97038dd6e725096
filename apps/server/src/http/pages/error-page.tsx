/** @jsxImportSource hono/jsx */
import { dashboardApiPrefix } from '@holdfast/contract';
import type { Context } from 'hono';
import type { HttpEnv } from '../context.ts';
import { type PageOptions, sendPage } from './page.tsx';

type ErrorStatus = NonNullable<PageOptions['status']>;

/** A person looks at the answer: their browser asks for HTML, and not at an address of the API. */
export const asksForPage = ({ req }: Context<HttpEnv>): boolean =>
  (req.header('accept') ?? '').includes('text/html') &&
  !['/api', dashboardApiPrefix].some(
    (prefix) => req.path === prefix || req.path.startsWith(`${prefix}/`),
  );

const texts: Partial<Record<ErrorStatus, { title: string; message: string }>> = {
  404: {
    title: 'There is no page here',
    message: 'The address may be mistyped, or the page has moved or been deleted.',
  },
  429: { title: 'Too many requests', message: 'Wait a minute, then try again.' },
  500: {
    title: 'Something went wrong on our side',
    message: 'Try again in a moment. The failure has been recorded.',
  },
  503: { title: 'Not available right now', message: 'Try again in a moment.' },
};

const refused = {
  title: 'This did not work',
  message: 'The request was refused. Go back, reload the page and try again.',
};

export const sendErrorPage = (
  context: Context<HttpEnv>,
  status: ErrorStatus,
  headers: Record<string, string> = {},
) => {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  const { title, message } = texts[status] ?? refused;
  return sendPage(
    context,
    { title, status },
    <>
      <p class="status">{status}</p>
      <h1>{title}</h1>
      <p>{message}</p>
      {status === 500 && (
        <p class="quiet">
          If it happens again, tell the operator this request id:{' '}
          <code>{context.var.requestId}</code>
        </p>
      )}
      <div class="actions">
        <a class="button" href="/">
          Start page
        </a>
        <a class="button plain" href="/docs">
          API reference
        </a>
      </div>
    </>,
  );
};
