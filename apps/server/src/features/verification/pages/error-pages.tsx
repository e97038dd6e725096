/** @jsxImportSource hono/jsx */
import { type PageOptions, sendPage } from '../../../http/pages/page.tsx';
import { type PageContext, visitPath } from './page-context.ts';

type ErrorText = { title: string; message: string; status: PageOptions['status'] };

/** Why a verification cannot go on. */
const errorTexts = {
  stateInvalid: {
    title: 'Please start again',
    message:
      'This step was used before, took longer than it may, or began in another browser. Nothing was stored. If it happens again, allow cookies for this page.',
    status: 400,
  },
  declined: {
    title: 'You did not agree',
    message: 'Nothing was stored. You can start again whenever you like.',
    status: 400,
  },
  signInRefused: {
    title: 'Please start again',
    message: 'The platform did not accept this sign-in. Nothing was stored.',
    status: 400,
  },
  scopeWithheld: {
    title: 'A permission is missing',
    message:
      'This server asks for everything that the platform showed you, and part of it was taken out of the address. Nothing was stored. Start again and leave the address as it is.',
    status: 400,
  },
  scopesChanged: {
    title: 'Please start again',
    message:
      'The server now asks for one thing more than when you began. Nothing was stored; it takes a moment.',
    status: 400,
  },
  platformUnreachable: {
    title: 'The platform does not answer',
    message: 'Nothing was stored. Wait a moment, then start again.',
    status: 503,
  },
  botUnusable: {
    title: 'Verification is closed for now',
    message:
      "The server's bot cannot be used at the moment. The server's owner can fix this: please tell them.",
    status: 503,
  },
} satisfies Record<string, ErrorText>;

export type VerificationError = keyof typeof errorTexts;

/** With a link to the server's first page, if the server is known. */
export const sendErrorPage = (
  context: PageContext,
  error: VerificationError,
  serverId: string | undefined,
) => {
  const { title, message, status } = errorTexts[error];
  return sendPage(
    context,
    { title, status, tone: 'bad' },
    <>
      <h1>{title}</h1>
      <p>{message}</p>
      {serverId === undefined ? (
        <p>Open the server's verification link again to start from the beginning.</p>
      ) : (
        <p>
          <a class="button" href={visitPath(serverId)}>
            Start again
          </a>
        </p>
      )}
    </>,
  );
};

export const sendTooManyAttempts = (context: PageContext) => {
  context.header('Retry-After', '60');
  return sendPage(
    context,
    { title: 'Too many attempts', status: 429, tone: 'bad' },
    <>
      <h1>Too many attempts</h1>
      <p>
        Somebody at your address tried very often. Nothing was stored. Wait a minute, then open the
        server's verification link again.
      </p>
    </>,
  );
};

export const sendServerNotFound = (context: PageContext) =>
  sendPage(
    context,
    { title: 'No such server', status: 404, tone: 'bad' },
    <>
      <h1>There is no such server here</h1>
      <p>The link may be mistyped or old. Ask the server's owner for a new one.</p>
    </>,
  );
