import { customType, timestamp } from 'drizzle-orm/pg-core';

/** A moment as our answers show it: to the millisecond, so that what is read equals what was written. */
export const moment = () => timestamp({ withTimezone: true, precision: 3 });

/** Drizzle's own jsonb hands Bun.SQL a text, which Bun.SQL would write as a JSON string once more. */
export const json = <Value>() => customType<{ data: Value }>({ dataType: () => 'jsonb' })();
