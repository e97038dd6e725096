import { type AnyPgColumn, customType, timestamp, uuid } from 'drizzle-orm/pg-core';

/** To the millisecond, as JavaScript and our answers have it: a value is read as it was written. */
export const moment = () => timestamp({ withTimezone: true, precision: 3 });

/** Drizzle's own jsonb hands Bun.SQL a text, which Bun.SQL would encode as a JSON string once more. */
export const json = <Value>() => customType<{ data: Value }>({ dataType: () => 'jsonb' })();

/** The id of a row of another table, with which this one is deleted. */
export const partOf = (id: () => AnyPgColumn) => uuid().references(id, { onDelete: 'cascade' });
