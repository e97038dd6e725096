import { pgTable, text } from 'drizzle-orm/pg-core';

/** A known text sealed under each master key ever used: it detects another key with the same id. */
export const sealKeys = pgTable('seal_keys', {
  keyId: text().primaryKey(),
  sealedCheck: text().notNull(),
});
