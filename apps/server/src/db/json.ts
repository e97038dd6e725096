import { customType } from 'drizzle-orm/pg-core';

/** Drizzle's own jsonb hands Bun.SQL a text, which Bun.SQL would write as a JSON string once more. */
export const json = <Value>() => customType<{ data: Value }>({ dataType: () => 'jsonb' })();
