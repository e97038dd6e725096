import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/table-columns.ts';

/** A person who signed in with the platform. Of the cookie's value only the hash is stored. */
export const sessions = pgTable(
  'sessions',
  {
    id: uuid().primaryKey(),
    tokenHash: text().notNull().unique('sessions_token'),
    platformId: text().notNull(),
    username: text().notNull(),
    displayName: text(),
    avatarHash: text(),
    /** Its browser and system, for the list of sessions. */
    browser: text().notNull().default(''),
    /** The platform has identified them, but the code of their second factor is missing: not valid yet. */
    awaitsCode: boolean().notNull().default(false),
    /** When a code of the second factor was last entered in it. */
    confirmedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    /** Extended by use, at most until a month after the sign-in. */
    expiresAt: moment().notNull(),
  },
  (session) => [
    index('sessions_of_person').on(session.platformId),
    index('sessions_expiry').on(session.expiresAt),
  ],
);

/** A sign-in in progress: valid once, in the browser that began it, for ten minutes. */
export const signIns = pgTable(
  'sign_ins',
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    /** Useless without the code and the client's secret, so it is not sealed. */
    codeVerifier: text().notNull(),
    /** Where to go afterwards, on this site. */
    next: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (signIn) => [index('sign_ins_expiry').on(signIn.expiresAt)],
);
