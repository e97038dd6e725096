/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { HttpEnv } from '../../http/admission.ts';
import { type PageOptions, sendPage } from '../../http/pages/page.tsx';
import { visitPath } from './paths.ts';

type Words = { title: string; sentence: string; status: PageOptions['status'] };

/** Why somebody cannot go on from here, in words that help them. */
const troubles = {
  lost: {
    title: 'Please start again',
    sentence:
      'This step was used before, took longer than it may, or began in another browser. Nothing was stored. If it happens again, allow cookies for this page.',
    status: 400,
  },
  declined: {
    title: 'You did not agree',
    sentence: 'Nothing was stored. You can start again whenever you like.',
    status: 400,
  },
  refused: {
    title: 'Please start again',
    sentence: 'The platform did not accept this sign-in. Nothing was stored.',
    status: 400,
  },
  withheld: {
    title: 'A permission is missing',
    sentence:
      'This server asks for everything that the platform showed you, and part of it was taken out of the address. Nothing was stored. Start again and leave the address as it is.',
    status: 400,
  },
  changed: {
    title: 'Please start again',
    sentence:
      'The server now asks for one thing more than when you began. Nothing was stored; it takes a moment.',
    status: 400,
  },
  silent: {
    title: 'The platform does not answer',
    sentence: 'Nothing was stored. Wait a moment, then start again.',
    status: 503,
  },
  closed: {
    title: 'Verification is closed for now',
    sentence:
      "The server's bot cannot be used at the moment. The server's owner can mend that: please tell them.",
    status: 503,
  },
} satisfies Record<string, Words>;

export type Trouble = keyof typeof troubles;

export const sendStartAgain = (
  context: Context<HttpEnv>,
  trouble: Trouble,
  serverId: string | undefined,
) => {
  const { title, sentence, status } = troubles[trouble];
  return sendPage(
    context,
    { title, status, tone: 'bad' },
    <>
      <h1>{title}</h1>
      <p>{sentence}</p>
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

/** One address asked far too often; each process counts for itself. */
export const sendTooMany = (context: Context<HttpEnv>) => {
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

export const sendNoDoor = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'No such server', status: 404, tone: 'bad' },
    <>
      <h1>There is no such server here</h1>
      <p>The link may be mistyped or old. Ask the server's owner for a new one.</p>
    </>,
  );
