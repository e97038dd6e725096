/** The browser's part of a session: a random token, of which only the hash is stored. */
export const sessionCookie = 'session';
