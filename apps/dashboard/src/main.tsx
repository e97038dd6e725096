import './app/style.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { loadPageOf } from './app/on-demand.tsx';
import { readFirstAnswers } from './app/query-client.ts';

const basename = '/dashboard';
const pathname = location.pathname.slice(basename.length) || '/';

const place = document.getElementById('app');
if (!place) throw new Error('The page has no place for the dashboard');

const draw = async () => {
  await readFirstAnswers(pathname);
  // As a transition it is drawn in small steps, and the frame that is there stays until it is whole.
  startTransition(() => createRoot(place).render(<App basename={basename} />));
};

// Where it fails, the page's own attempt tells.
if (pathname !== '/') loadPageOf(pathname).catch(() => undefined);
// Not in the same task that runs this script, which is long already.
setTimeout(draw);
