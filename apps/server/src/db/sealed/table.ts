import { pgTable, text } from 'drizzle-orm/pg-core';

/** A known text sealed under each master key that was ever in the ring: it tells a key from another of the same id. */
export const sealKeys = pgTable('seal_keys', {
  keyId: text().primaryKey(),
  sealedCheck: text().notNull(),
});
