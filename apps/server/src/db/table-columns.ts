import { customType, timestamp } from 'drizzle-orm/pg-core';

/** To the millisecond, as JavaScript and our answers have it: a value is read as it was written. */
export const moment = () => timestamp({ withTimezone: true, precision: 3 });

/** Drizzle's own jsonb hands Bun.SQL a text, which Bun.SQL would encode as a JSON string once more. */
export const json = <Value>() => customType<{ data: Value }>({ dataType: () => 'jsonb' })();
