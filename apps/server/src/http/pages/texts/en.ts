import type { Child } from 'hono/jsx';

/** What every page says, and the pages for failures. The shape of all other languages. */
export const en = {
  language: 'Language',
  poweredBy: (holdfast: Child): Child => ['Powered by ', holdfast],
  yourData: 'Your data',
  notFound: {
    title: 'There is no page here',
    message: 'The address may be mistyped, or the page has moved or been deleted.',
  },
  tooMany: { title: 'Too many requests', message: 'Wait a minute, then try again.' },
  failed: {
    title: 'Something went wrong on our side',
    message: 'Try again in a moment. The failure has been recorded.',
  },
  unavailable: { title: 'Not available right now', message: 'Try again in a moment.' },
  refused: {
    title: 'This did not work',
    message: 'The request was refused. Go back, reload the page and try again.',
  },
  requestId: 'If it happens again, tell the operator this request id:',
  startPage: 'Start page',
  guides: 'Guides',
  newLink: 'Came from a verify button? Ask the server’s owner for a new link.',
};

export type PageTexts = typeof en;
