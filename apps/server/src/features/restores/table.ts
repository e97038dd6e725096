import type { BackupComponent, restoreStatuses } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { backups } from '../backups/table.ts';
import { servers } from '../servers/table.ts';
import type { Action } from './action.ts';
import type { Groundwork } from './groundwork.ts';
import type { Stage, Step } from './step.ts';

export const restores = pgTable(
  'restores',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    /** The server that is restored into. */
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    backupId: uuid().notNull(),
    /** The same while the restore needs it: until then it cannot be deleted. */
    heldBackupId: uuid().references(() => backups.id),
    components: json<BackupComponent[]>().notNull(),
    status: text().$type<(typeof restoreStatuses)[number]>().notNull().default('queued'),
    stepsTotal: integer().notNull().default(0),
    stepsDone: integer().notNull().default(0),
    stepsFailed: integer().notNull().default(0),
    safetyBackupId: uuid(),
    /** What was there when the steps were planned; empty until then. */
    groundwork: json<Groundwork>(),
    isCancelRequested: boolean().notNull().default(false),
    warnings: json<string[]>().notNull().default([]),
    error: text(),
    createdAt: moment().notNull().defaultNow(),
    startedAt: moment(),
    completedAt: moment(),
  },
  (restore) => [
    uniqueIndex('restores_active_on_server')
      .on(restore.serverId)
      .where(sql`status in ('queued', 'snapshotting', 'running')`),
    index('restores_of_server').on(restore.serverId, restore.createdAt, restore.id),
    index('restores_held_backup').on(restore.heldBackupId),
  ],
);

export const stepStatuses = ['planned', 'begun', 'done', 'failed'] as const;

/** The journal: what is to be done, in order, and how far it is. Written before and after each call. */
export const restoreSteps = pgTable(
  'restore_steps',
  {
    restoreId: uuid()
      .notNull()
      .references(() => restores.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    stage: text().$type<Stage>().notNull(),
    after: json<number[]>().notNull(),
    action: json<Action>().notNull(),
    type: text().$type<Step['type']>().notNull(),
    name: text().notNull(),
    effect: text().$type<Step['effect']>().notNull(),
    status: text().$type<(typeof stepStatuses)[number]>().notNull().default('planned'),
    /** The id the platform gave to what was created. */
    createdId: text(),
    error: text(),
  },
  (step) => [primaryKey({ columns: [step.restoreId, step.seq] })],
);
