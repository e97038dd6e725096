import type { massVerificationStatuses } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { servers } from '../servers/table.ts';

const counter = () => integer().notNull().default(0);

export const massVerifications = pgTable(
  'mass_verifications',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    /** As the server had them when it was asked for: where one changes, it ends. */
    guildId: text().notNull(),
    botId: uuid().notNull(),
    verifiedRoleId: text().notNull(),
    /** The power of that role that a person confirmed for this job, as bits. */
    confirmedPower: text().notNull().default('0'),
    /** The filter; null where it is not used. */
    joinedBefore: moment(),
    roleId: text(),
    status: text().$type<(typeof massVerificationStatuses)[number]>().notNull().default('queued'),
    total: counter(),
    processed: counter(),
    given: counter(),
    already: counter(),
    failed: counter(),
    isCounted: boolean().notNull().default(false),
    /** The last person that was counted or, once all are counted, processed; null at the beginning. */
    afterId: text(),
    /** Whose call was sent: they had no role before it. */
    attemptedId: text(),
    isCancelRequested: boolean().notNull().default(false),
    error: text(),
    createdAt: moment().notNull().defaultNow(),
    startedAt: moment(),
    completedAt: moment(),
  },
  (job) => [
    uniqueIndex('mass_verifications_active_of_server')
      .on(job.serverId)
      .where(sql`status in ('queued', 'running')`),
    index('mass_verifications_of_server').on(job.serverId, job.createdAt, job.id),
    check('mass_verifications_results_add_up', sql`given + already + failed = processed`),
  ],
);
