import { isNull } from 'drizzle-orm';
import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { bots } from '../bots/table.ts';

/**
 * The processes that hold bots, and until when. A process that did not renew in time loses its row, and
 * with it its bots; it comes back under a new id.
 */
export const gatewayProcesses = pgTable(
  'gateway_processes',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    until: moment().notNull(),
    startedAt: moment().notNull().defaultNow(),
  },
  (process) => [index('gateway_processes_until').on(process.until)],
);

/** Which process holds a bot, and the session that its connection continues. */
export const gatewayConnections = pgTable(
  'gateway_connections',
  {
    botId: partOf(() => bots.id).primaryKey(),
    accountId: uuid().notNull(),
    /** Null while no process holds it. */
    processId: uuid().references(() => gatewayProcesses.id, { onDelete: 'set null' }),
    /** The last session; null before the first one, and after one that was ended on purpose. */
    sessionId: text(),
    resumeUrl: text(),
    /** Everything up to this number of the session has taken effect. */
    sequence: bigint({ mode: 'number' }).notNull().default(0),
  },
  (connection) => [
    index('gateway_connections_of_process').on(connection.processId),
    index('gateway_connections_free').on(connection.botId).where(isNull(connection.processId)),
  ],
);

/**
 * Sessions that were begun lately, by application: the platform counts them so, and two accounts can
 * have bots of one application.
 */
export const gatewayIdentifies = pgTable(
  'gateway_identifies',
  {
    id: uuid().primaryKey(),
    applicationId: text().notNull(),
    identifiedAt: moment().notNull(),
  },
  (identify) => [
    index('gateway_identifies_of_application').on(identify.applicationId, identify.identifiedAt),
    index('gateway_identifies_at').on(identify.identifiedAt),
  ],
);
