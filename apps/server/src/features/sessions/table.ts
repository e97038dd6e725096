import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../db/columns.ts';

/** Somebody who signed in with the platform. The cookie's value is kept only as its hash. */
export const sessions = pgTable(
  'sessions',
  {
    id: uuid().primaryKey(),
    tokenHash: text().notNull().unique('sessions_token'),
    platformId: text().notNull(),
    username: text().notNull(),
    displayName: text(),
    avatarHash: text(),
    /** What it was begun with, in few words. */
    browser: text().notNull().default(''),
    /** The platform vouched for them, their second factor has not yet: they are nobody so far. */
    awaitsCode: boolean().notNull().default(false),
    /** When a code of the second factor last came by it. */
    confirmedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    /** Moves on with use, and never beyond a month from the beginning. */
    expiresAt: moment().notNull(),
  },
  (session) => [
    index('sessions_of_person').on(session.platformId),
    index('sessions_expiry').on(session.expiresAt),
  ],
);

/** A sign-in under way: good once, in the browser that began it, for ten minutes. */
export const signIns = pgTable(
  'sign_ins',
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    /** Worth nothing without the code and the client's secret, so it is kept as it is. */
    codeVerifier: text().notNull(),
    /** Where to go afterwards, on this site. */
    next: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (signIn) => [index('sign_ins_expiry').on(signIn.expiresAt)],
);
