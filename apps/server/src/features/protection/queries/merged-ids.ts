import { sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/**
 * In an upsert: a list of ids with those of the new row added to it. Of two who store a list at once,
 * neither loses the other's.
 */
export const mergedIds = (column: PgColumn, excluded: string) =>
  sql`(select coalesce(jsonb_agg(distinct one), '[]'::jsonb)
    from jsonb_array_elements(${column} || ${sql.raw(`excluded.${excluded}`)}) as one)`;
