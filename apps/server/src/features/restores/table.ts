import type {
  BackupComponent,
  RestoreMode,
  RestoreStage,
  restoreStatuses,
} from '@holdfast/contract';
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
import { json, moment, partOf } from '../../db/table-columns.ts';
import { backups } from '../backups/table.ts';
import { servers } from '../servers/table.ts';
import type { Action } from './plan/action.ts';
import type { Note } from './plan/note.ts';

import type { Step, StoredPlan } from './plan/step.ts';
import type { StepFailure } from './run/step-failure.ts';
import type { StoredWarning } from './run/stored-warning.ts';
import type { UndoScope } from './undo/scope.ts';

/** `keyId` is null for a person. Power comes back by content from outside only for a person with a second factor. */
type AskedBy = { keyId: string | null; mayGivePower: boolean };

export const restores = pgTable(
  'restores',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    /** The server that is restored into. */
    serverId: partOf(() => servers.id).notNull(),
    backupId: uuid().notNull(),
    /** The same until the restore ends: a backup that is referred to here cannot be deleted. */
    heldBackupId: uuid().references(() => backups.id),
    components: json<BackupComponent[]>().notNull(),
    mode: text().$type<RestoreMode>().notNull().default('REPLACE'),
    deleteExtra: boolean().notNull().default(false),
    /** The incident whose damage it undoes, and what of it: nothing else is touched. */
    incidentId: uuid(),
    undo: json<UndoScope>(),
    /** Null for repairs of incidents, and what earlier versions stored. */
    askedBy: json<AskedBy>(),
    status: text().$type<(typeof restoreStatuses)[number]>().notNull().default('queued'),
    stepsTotal: integer().notNull().default(0),
    stepsDone: integer().notNull().default(0),
    stepsFailed: integer().notNull().default(0),
    safetyBackupId: uuid(),
    /** Null until the steps are planned. */
    plan: json<StoredPlan>(),
    /** When it goes on, while it waits for a quota of the platform. */
    resumesAt: moment(),
    isCancelRequested: boolean().notNull().default(false),
    warnings: json<StoredWarning[]>().notNull().default([]),
    notes: json<Note[]>().notNull().default([]),
    error: text(),
    /** When the addresses of the webhooks that it made were shown: once. */
    webhooksShownAt: moment(),
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
    index('restores_of_account').on(restore.accountId),
  ],
);

export const stepStatuses = ['planned', 'begun', 'done', 'failed'] as const;

/** The journal: the steps in their order and their status, written before and after each call. */
export const restoreSteps = pgTable(
  'restore_steps',
  {
    restoreId: partOf(() => restores.id).notNull(),
    seq: integer().notNull(),
    stage: text().$type<RestoreStage>().notNull(),
    after: json<number[]>().notNull(),
    action: json<Action>().notNull(),
    type: text().$type<Step['type']>().notNull(),
    name: text().notNull(),
    effect: text().$type<Step['effect']>().notNull(),
    status: text().$type<(typeof stepStatuses)[number]>().notNull().default('planned'),
    /** The id that the platform gave to what the step created. */
    createdId: text(),
    /** Why it failed. Journals of earlier versions have a sentence in `error` instead. */
    failure: json<StepFailure>(),
    error: text(),
  },
  (step) => [primaryKey({ columns: [step.restoreId, step.seq] })],
);

/** A thread is `closing` when all that remains is to archive or lock it. */
const placeStatuses = ['planned', 'begun', 'closing', 'done', 'failed'] as const;

/**
 * The journal of what is posted again: one row for each new channel, and for each thread in it. It says
 * how far the messages of the backup were posted, by their ids, and holds none of their texts.
 */
export const restorePosts = pgTable(
  'restore_posts',
  {
    restoreId: partOf(() => restores.id).notNull(),
    /** The id that the channel or thread has in the backup. */
    placeId: text().notNull(),
    /** The same for a channel; for a thread, that of its channel. */
    channelId: text().notNull(),
    status: text().$type<(typeof placeStatuses)[number]>().notNull().default('planned'),
    /** Without those whose authors were erased meanwhile. */
    total: integer().notNull(),
    posted: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** How many were seen in the channel at the end; null before. */
    found: integer(),
    /** The id in the target. */
    newId: text(),
    /** The last message that was dealt with, by its id in the backup. */
    lastOldId: text(),
    /** The last one that was posted: its id in the backup, and the one it got. */
    lastPostedId: text(),
    lastNewId: text(),
    /** The message that is being posted: after a crash, its outcome is not known. */
    begunId: text(),
    /** Posted messages that are to be pinned, and when they were pinned. */
    pins: json<{ id: string; at: string | null }[]>().notNull().default([]),
    /** The webhooks that posted; their tokens are not stored. */
    webhookIds: json<string[]>().notNull().default([]),
    /** The code of the last failure. */
    error: text(),
  },
  (place) => [primaryKey({ columns: [place.restoreId, place.placeId] })],
);
