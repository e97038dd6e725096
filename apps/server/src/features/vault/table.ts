import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { bots } from '../bots/table.ts';

/**
 * The tokens that a person gave to one bot of one account. They serve that account's servers alone.
 * A token that was revoked leaves no row.
 */
export const memberTokens = pgTable(
  'member_tokens',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    botId: uuid()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    platformId: text().notNull(),
    /** Sealed; see kernel/seal. */
    accessToken: text().notNull(),
    refreshToken: text().notNull(),
    sealKeyId: text().notNull(),
    scopes: json<string[]>().notNull(),
    expiresAt: moment().notNull(),
    /** When it is refreshed ahead of its expiry; spread out, so that not all come at once. */
    refreshAt: moment().notNull(),
    /** While this lies ahead somebody is refreshing it; a refresh that was begun and never ended is lost. */
    refreshingUntil: moment(),
    /** Another at every refresh. */
    generation: bigint({ mode: 'number' }).notNull().default(0),
    createdAt: moment().notNull().defaultNow(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (token) => [
    unique('member_tokens_of_bot').on(token.botId, token.platformId),
    index('member_tokens_of_person').on(token.platformId, token.accountId),
    index('member_tokens_to_refresh').on(token.refreshAt),
    index('member_tokens_seal_key').on(token.sealKeyId),
    index('member_tokens_refreshing')
      .on(token.refreshingUntil)
      .where(sql`refreshing_until is not null`),
  ],
);
