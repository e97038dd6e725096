import type {
  BackupComponent,
  BackupCounts,
  backupKinds,
  backupStatuses,
  Health,
} from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import { servers } from '../servers/table.ts';
import type { GuildStructure } from './last-good/structure.ts';

/** Counts of components that came later are added when a row is read. */
const firstCounts: Partial<BackupCounts> = {
  roles: 0,
  channels: 0,
  emojis: 0,
  stickers: 0,
  bans: 0,
  members: 0,
  messages: 0,
};

export const backups = pgTable(
  'backups',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: partOf(() => servers.id).notNull(),
    name: text().notNull(),
    kind: text().$type<(typeof backupKinds)[number]>().notNull(),
    status: text().$type<(typeof backupStatuses)[number]>().notNull().default('queued'),
    progress: integer().notNull().default(0),
    components: json<BackupComponent[]>().notNull(),
    messagesPerChannel: integer().notNull(),
    /** Of a program that reads or restores it at once: in no list, never good, deleted after some hours. */
    isTemporary: boolean().notNull().default(false),
    counts: json<Partial<BackupCounts>>().notNull().default(firstCounts),
    sizeBytes: bigint({ mode: 'number' }).notNull().default(0),
    storedBytes: bigint({ mode: 'number' }).notNull().default(0),
    /** The hash of the manifest, which leads to all other objects. */
    checksum: text(),
    suspicious: boolean().notNull().default(false),
    /** Of the server when it was taken, against the last good backup or what the owner accepted. */
    health: text().$type<Health>().notNull().default('UNKNOWN'),
    /**
     * What the snapshot has, so that it need not be opened for a comparison. Of one that the owner asked
     * for to accept the present state, that state until it is completed; null in backups of earlier
     * versions until a job reads them.
     */
    structure: json<GuildStructure>(),
    acceptedAt: moment(),
    /** Where a key has accepted that state: not before then this is taken. */
    acceptsAt: moment(),
    /** The result of the last test restore, and when it ran. */
    restorable: boolean(),
    provedAt: moment(),
    warnings: json<string[]>().notNull().default([]),
    /** What the last test restore could not restore. */
    losses: json<string[]>().notNull().default([]),
    error: text(),
    createdAt: moment().notNull().defaultNow(),
    startedAt: moment(),
    completedAt: moment(),
    verifiedAt: moment(),
  },
  (backup) => [
    index('backups_of_server').on(backup.serverId, backup.createdAt, backup.id),
    index('backups_of_account').on(backup.accountId, backup.kind, backup.status),
    uniqueIndex('backups_accepting')
      .on(backup.serverId)
      .where(sql`accepted_at is not null and status in ('queued', 'running')`),
    index('backups_to_verify').on(backup.verifiedAt).where(sql`status = 'completed'`),
    index('backups_unrestorable')
      .on(backup.accountId)
      .where(sql`restorable is false`)
      .concurrently(),
    index('backups_to_prove').on(backup.provedAt).where(sql`status = 'completed'`).concurrently(),
  ],
);

/**
 * An object in the blob store. Its row is inserted before its file is written and deleted before its
 * file, so a file without a row is not needed. The id is part of the file's name: an object that is
 * stored again after it was released is not hit by the late deletion of its predecessor.
 */
export const blobs = pgTable(
  'blobs',
  {
    id: uuid().primaryKey(),
    accountId: partOf(() => accounts.id).notNull(),
    hash: text().notNull(),
    sizeBytes: integer().notNull(),
    storedBytes: integer().notNull(),
    /** Whether the file was written and read back; until then other backups write it too. */
    isStored: boolean().notNull().default(false),
    /** The master key under which it is sealed. */
    sealKeyId: text().notNull(),
    /** The backup or holder that added it, to which its storage is attributed. */
    addedBy: uuid().notNull(),
    /** Whether `blob_people` covers it; objects of earlier versions are indexed by a job. */
    isIndexed: boolean().notNull().default(false),
    /** Not released before: a reader may still use a backup that was redacted meanwhile. */
    keptUntil: moment(),
  },
  (blob) => [
    unique('blobs_hash_of_account').on(blob.accountId, blob.hash),
    index('blobs_added_by').on(blob.addedBy),
    index('blobs_seal_key').on(blob.sealKeyId, blob.id),
    index('blobs_unindexed').on(blob.accountId).where(sql`not is_indexed`),
  ],
);

export const backupBlobs = pgTable(
  'backup_blobs',
  {
    backupId: partOf(() => backups.id).notNull(),
    blobId: uuid()
      .notNull()
      .references(() => blobs.id),
    /** Saved by a redaction that has not ended, and not part of the backup yet. */
    isDraft: boolean().notNull().default(false),
  },
  (reference) => [
    primaryKey({ columns: [reference.backupId, reference.blobId] }),
    index('backup_blobs_blob').on(reference.blobId),
  ],
);

/** Objects that something other than a backup holds, such as a template that is for sale. */
export const blobHolds = pgTable(
  'blob_holds',
  {
    /** The id of the holder, for example of a listing. */
    holderId: uuid().notNull(),
    blobId: uuid()
      .notNull()
      .references(() => blobs.id),
  },
  (hold) => [
    primaryKey({ columns: [hold.holderId, hold.blobId] }),
    index('blob_holds_blob').on(hold.blobId),
  ],
);

/**
 * Who is in an object, as the first 64 bits of keyed hashes: a person is found in backups without
 * reading them, and the hashes do not reveal who it is. Only objects that hold people have a row.
 */
export const blobPeople = pgTable(
  'blob_people',
  {
    blobId: partOf(() => blobs.id).primaryKey(),
    accountId: uuid().notNull(),
    section: text().$type<BackupComponent>().notNull(),
    people: bigint({ mode: 'bigint' }).array().notNull(),
  },
  (row) => [
    index('blob_people_of_account').on(row.accountId),
    index('blob_people_people').using('gin', row.people),
  ],
);

/**
 * The tombstone of an erased person: they are removed from every snapshot of the account that was saved
 * before the tombstone was lifted. Verifying again lifts it for what is saved from then on.
 */
export const erasures = pgTable(
  'erasures',
  {
    accountId: partOf(() => accounts.id).notNull(),
    /** Under the account's key. */
    personHash: text().notNull(),
    /** Its first 64 bits, as in `blob_people`. */
    indexHash: bigint({ mode: 'bigint' }).notNull(),
    erasedAt: moment().notNull().defaultNow(),
    liftedAt: moment(),
  },
  (erasure) => [primaryKey({ columns: [erasure.accountId, erasure.personHash] })],
);

/** The storage of an account's objects. Its row is the lock under which the limit is checked. */
export const storageUsed = pgTable('storage_used', {
  accountId: partOf(() => accounts.id).primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
});
