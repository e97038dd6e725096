const isPathHere = (path: string): boolean => /^\/(?![/\\])[\x21-\x7e]*$/.test(path);

/**
 * Where to go after signing in: a path of this site, or the fallback. Browsers read a backslash as a
 * slash, drop tabs and line breaks and resolve dots, so what looks like a path can lead elsewhere.
 */
export const safeNext = (next: string | undefined, fallback: string): string => {
  if (next === undefined || !isPathHere(next)) return fallback;
  const here = 'http://here.invalid';
  const url = URL.parse(next, here);
  if (url?.origin !== here) return fallback;
  // Once its dots are resolved, `/.//elsewhere` is `//elsewhere`.
  const path = `${url.pathname}${url.search}`;
  return isPathHere(path) ? path : fallback;
};

/** The dashboard and everything below it. */
export const isForDashboard = (path: string): boolean => /^\/dashboard(?:[/?]|$)/.test(path);

const dayMs = 24 * 60 * 60 * 1000;

/** A session ends when it was not used for a week, and after a month in any case. */
export const sessionIdleMs = 7 * dayMs;
export const sessionLifeMs = 30 * dayMs;
export const signInMs = 10 * 60 * 1000;
