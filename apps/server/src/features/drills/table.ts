import type { DrillFigures, DrillOutcome, DrillStatus } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

export type DrillResult = {
  outcome: DrillOutcome;
  /** Null where there was no attack. */
  figures: DrillFigures | null;
  membersReachable: number;
  membersTotal: number;
};

/** Why a drill came to nothing. */
export type DrillError = 'SIMULATOR_UNAVAILABLE' | 'NOT_ENABLED' | 'TOOK_TOO_LONG' | 'FAILED';

/** Rehearsed attacks. The last ones of a server are kept. */
export const drills = pgTable(
  'drills',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    status: text().$type<DrillStatus>().notNull().default('queued'),
    isScheduled: boolean().notNull(),
    result: json<DrillResult>(),
    error: text().$type<DrillError>(),
    createdAt: moment().notNull().defaultNow(),
    completedAt: moment(),
  },
  (drill) => [
    uniqueIndex('drills_active_on_server')
      .on(drill.serverId)
      .where(sql`status in ('queued', 'running')`),
    index('drills_of_server').on(drill.serverId, drill.createdAt, drill.id),
  ],
);
