const isLocalPath = (path: string): boolean => /^\/(?![/\\])[\x21-\x7e]*$/.test(path);

/**
 * Where to go after the sign-in: a path of this site, or the fallback. Browsers read a backslash as a
 * slash, drop tabs and line breaks and resolve dots, so what looks like a path can lead to another site.
 */
export const safeNextPath = (next: string | undefined, fallback: string): string => {
  if (next === undefined || !isLocalPath(next)) return fallback;
  const here = 'http://here.invalid';
  const url = URL.parse(next, here);
  if (url?.origin !== here) return fallback;
  // Once its dots are resolved, `/.//elsewhere` is `//elsewhere`.
  const path = `${url.pathname}${url.search}`;
  return isLocalPath(path) ? path : fallback;
};

/** The dashboard and everything below it. */
export const isDashboardPath = (path: string): boolean => /^\/dashboard(?:[/?]|$)/.test(path);

/** Where an owner sees the servers that they manage, to invite this bot to one. */
export const managedGuildsPath = '/login/servers';

const managedGuildsNext = new RegExp(`^${managedGuildsPath}\\?bot=([0-9a-f-]{36})$`);

/** The bot of an authorization that was begun for that page. */
export const botOfManagedGuilds = (next: string): string | undefined =>
  managedGuildsNext.exec(next)?.[1];

const dayMs = 24 * 60 * 60 * 1000;

/** A session ends when it was not used for a week, and after a month at the latest. */
export const sessionIdleMs = 7 * dayMs;
export const sessionLifeMs = 30 * dayMs;
export const signInMs = 10 * 60 * 1000;

/** Of one person, those that still await their code too. */
export const maxSessions = 20;

const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (names: [RegExp, string][], header: string): string | undefined =>
  names.find(([pattern]) => pattern.test(header))?.[1];

/** Enough to recognize one's own browser; no more of the header is stored. */
export const describeBrowser = (userAgent: string | undefined): string => {
  const browser = nameIn(browsers, userAgent ?? '');
  const system = nameIn(systems, userAgent ?? '');
  if (!browser && !system) return 'An unknown browser';
  return `${browser ?? 'A browser'} on ${system ?? 'an unknown system'}`;
};
