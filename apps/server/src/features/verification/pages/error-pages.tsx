/** @jsxImportSource hono/jsx */
import { languageOf } from '../../../http/languages/page-language.ts';
import { type PageOptions, sendPage } from '../../../http/pages/page.tsx';
import { textsOf } from '../texts/verification-texts.ts';
import { type PageContext, visitPath } from './page-context.ts';

/** Why a verification cannot go on. */
const errorStatuses = {
  stateInvalid: 400,
  declined: 400,
  signInRefused: 400,
  scopeWithheld: 400,
  scopesChanged: 400,
  platformUnreachable: 503,
  botUnusable: 503,
} satisfies Record<string, PageOptions['status']>;

export type VerificationError = keyof typeof errorStatuses;

/** With a link to the server's first page, if the server is known. */
export const sendErrorPage = (
  context: PageContext,
  error: VerificationError,
  serverId: string | undefined,
) => {
  const { errors } = textsOf(context);
  const { title, message } = errors[error];
  const start = serverId === undefined ? undefined : visitPath(serverId);
  return sendPage(
    context,
    {
      ...{ title, status: errorStatuses[error], tone: 'bad' },
      // An error is told once: whoever reads it in another language does so from the first page on.
      ...{ language: languageOf(context), languageSwitch: start },
    },
    <>
      <h1>{title}</h1>
      <p>{message}</p>
      {start === undefined ? (
        <p>{errors.openLink}</p>
      ) : (
        <p>
          <a class="button" href={start}>
            {errors.startAgain}
          </a>
        </p>
      )}
    </>,
  );
};

export const sendTooManyAttempts = (context: PageContext) => {
  context.header('Retry-After', '60');
  return sendShortPage(context, 429, textsOf(context).tooManyAttempts);
};

export const sendServerNotFound = (context: PageContext) =>
  sendShortPage(context, 404, textsOf(context).noServer);

const sendShortPage = (
  context: PageContext,
  status: 404 | 429,
  { title, message }: { title: string; message: string },
) =>
  sendPage(
    context,
    { title, status, tone: 'bad', language: languageOf(context) },
    <>
      <h1>{title}</h1>
      <p>{message}</p>
    </>,
  );
