import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';

/** A picture, which holds its object in the blob store under its own id. */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    /** Its address: whoever has it may see the picture. */
    token: text().notNull().unique(),
    /** The hash of the object. */
    hash: text().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    bytes: integer().notNull(),
    /** Null until the request that sent it is committed: before, it cannot be used or seen. */
    storedAt: moment(),
    /** Since when nothing uses it; null while something does. */
    unusedSince: moment().defaultNow(),
  },
  (upload) => [
    index('uploads_of_account').on(upload.accountId),
    index('uploads_unused').on(upload.unusedSince).where(sql`unused_since is not null`),
  ],
);

/** What uses a picture, such as the logo of a verification page: an upload with a use is not deleted. */
export const uploadUses = pgTable(
  'upload_uses',
  {
    accountId: partOf(() => accounts.id).notNull(),
    /** The record that shows the picture, and the field that names it. */
    holderId: uuid().notNull(),
    field: text().notNull(),
    uploadId: uuid()
      .notNull()
      .references(() => uploads.id),
  },
  (use) => [
    primaryKey({ columns: [use.holderId, use.field] }),
    index('upload_uses_upload').on(use.uploadId),
    index('upload_uses_account').on(use.accountId),
  ],
);
