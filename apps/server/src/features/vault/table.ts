import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { bots } from '../bots/table.ts';

/**
 * The tokens that a person gave to one bot of one account, for that account's servers alone. The row
 * of a revoked token is deleted.
 */
export const memberTokens = pgTable(
  'member_tokens',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    botId: partOf(() => bots.id).notNull(),
    platformId: text().notNull(),
    /** Sealed; see kernel/seal. */
    accessToken: text().notNull(),
    refreshToken: text().notNull(),
    sealKeyId: text().notNull(),
    scopes: json<string[]>().notNull(),
    expiresAt: moment().notNull(),
    /** When it is refreshed, before its expiry; spread out, so that not all are due at once. */
    refreshAt: moment().notNull(),
    /** Until then a process is refreshing it; one that never ended counts as lost. */
    refreshingUntil: moment(),
    /** Changes with every claim and every refresh. */
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
