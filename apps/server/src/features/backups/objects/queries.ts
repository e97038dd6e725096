import { and, eq, gt, inArray, isNull, lte, notExists, or, sql, sum } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { isUnderOtherKey, type SealedRows } from '../../../db/sealed/queries.ts';
import { backupBlobs, backups, blobHolds, blobs, storageUsed } from '../table.ts';

export type Blob = { id: string; accountId: string; hash: string };
type Owner = { accountId: string; backupId: string };
/** A backup that is being redacted: what is saved for it becomes part of it at the end. */
type Draft = Owner & { isDraft: true };
type Holder = { accountId: string; holderId: string };
/** What keeps objects from being released: a backup, or another holder such as a template. */
export type Referrer = Owner | Draft | Holder;

const blobFields = {
  id: blobs.id,
  accountId: blobs.accountId,
  hash: blobs.hash,
  sizeBytes: blobs.sizeBytes,
  storedBytes: blobs.storedBytes,
  isStored: blobs.isStored,
};

/** Finds the account's objects of these hashes and lets the referrer refer to them. */
export const referenceBlobs = async (tx: Transaction, referrer: Referrer, hashes: string[]) => {
  const found = await tx
    .select(blobFields)
    .from(blobs)
    .where(and(eq(blobs.accountId, referrer.accountId), inArray(blobs.hash, hashes)))
    .for('key share');
  await addReferences(tx, referrer, found);
  return found;
};

const addReferences = async (tx: Transaction, referrer: Referrer, found: Blob[]) => {
  if (found.length === 0) return;
  if ('holderId' in referrer) {
    const { holderId } = referrer;
    const holds = found.map(({ id }) => ({ holderId, blobId: id }));
    await tx.insert(blobHolds).values(holds).onConflictDoNothing();
    return;
  }
  const { backupId } = referrer;
  const isDraft = 'isDraft' in referrer;
  const references = found.map(({ id }) => ({ backupId, blobId: id, isDraft }));
  await tx.insert(backupBlobs).values(references).onConflictDoNothing();
};

type NewBlob = Pick<
  typeof blobs.$inferInsert,
  'id' | 'hash' | 'sizeBytes' | 'storedBytes' | 'sealKeyId'
>;

/** Returns the inserted ones: another backup of the account may have added the others meanwhile. */
export const addBlobs = async (tx: Transaction, referrer: Referrer, rows: NewBlob[]) => {
  const { accountId } = referrer;
  const addedBy = 'holderId' in referrer ? referrer.holderId : referrer.backupId;
  const added = await tx
    .insert(blobs)
    .values(rows.map((row) => ({ ...row, accountId, addedBy, isIndexed: true })))
    .onConflictDoNothing()
    .returning(blobFields);
  await addReferences(tx, referrer, added);
  return added;
};

/** For objects that were just added: their sizes need no update. */
export const markBlobsStored = async (db: Database, added: Blob[]) => {
  const [first] = added;
  if (!first) return;
  const ids = added.map(({ id }) => id);
  await db
    .update(blobs)
    .set({ isStored: true })
    .where(and(eq(blobs.accountId, first.accountId), inArray(blobs.id, ids)));
};

/**
 * Its file was written and read back. Sealed under another key it can be a few bytes longer or shorter
 * than before, so the account's used storage changes as well.
 */
export const markBlobStored = (
  db: Database,
  { id, accountId }: Blob,
  { storedBytes, sealKeyId }: { storedBytes: number; sealKeyId: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    const ofBlob = and(eq(blobs.id, id), eq(blobs.accountId, accountId));
    const [before] = await tx
      .select({ storedBytes: blobs.storedBytes })
      .from(blobs)
      .where(ofBlob)
      .for('no key update');
    if (!before) return;
    await tx.update(blobs).set({ isStored: true, storedBytes, sealKeyId }).where(ofBlob);
    const grownBytes = storedBytes - before.storedBytes;
    if (grownBytes !== 0) await addToStorage(tx, accountId, grownBytes);
  });

const addToStorage = (tx: Transaction, accountId: string, bytes: number) =>
  tx
    .update(storageUsed)
    .set({ bytes: sql`greatest(0, ${storageUsed.bytes} + ${bytes})` })
    .where(eq(storageUsed.accountId, accountId));

/** False where it would exceed the limit. Locks the account's used storage until the transaction ends. */
export const reserveStorage = async (
  tx: Transaction,
  accountId: string,
  bytes: number,
  limitBytes: number,
) => {
  const reserved = await tx
    .insert(storageUsed)
    .values({ accountId, bytes })
    .onConflictDoUpdate({
      target: storageUsed.accountId,
      set: { bytes: sql`${storageUsed.bytes} + ${bytes}` },
      setWhere: sql`${storageUsed.bytes} + ${bytes} <= ${limitBytes}`,
    })
    .returning({ bytes: storageUsed.bytes });
  const [used] = reserved;
  return used !== undefined && used.bytes <= limitBytes;
};

export const readUsedStorageBytes = async (db: Queryable, accountId: string): Promise<number> => {
  const [used] = await db
    .select({ bytes: storageUsed.bytes })
    .from(storageUsed)
    .where(eq(storageUsed.accountId, accountId));
  return used?.bytes ?? 0;
};

const referencesOf = (db: Queryable, { accountId, backupId }: Owner) => {
  const ownBackup = db
    .select({ id: backups.id })
    .from(backups)
    .where(and(eq(backups.id, backupId), eq(backups.accountId, accountId)));
  return inArray(backupBlobs.backupId, ownBackup);
};

const draftsOf = (db: Queryable, owner: Owner) =>
  and(referencesOf(db, owner), eq(backupBlobs.isDraft, true));

export const deleteReferences = async (db: Queryable, owner: Owner) => {
  await db.delete(backupBlobs).where(referencesOf(db, owner));
};

/** What a redaction that was interrupted left behind. */
export const deleteDrafts = async (tx: Transaction, owner: Owner) => {
  await tx.delete(backupBlobs).where(draftsOf(tx, owner));
};

/**
 * Makes the drafts part of the backup and removes the replaced objects from it. A reader of the old
 * checksum has `graceSeconds` to finish.
 */
export const replaceReferences = async (
  tx: Transaction,
  owner: Owner,
  { replaced, graceSeconds }: { replaced: string[]; graceSeconds: number },
) => {
  const old = await tx
    .update(blobs)
    .set({ keptUntil: sql`now() + ${graceSeconds} * interval '1 second'` })
    .where(and(eq(blobs.accountId, owner.accountId), inArray(blobs.hash, replaced)))
    .returning({ id: blobs.id });
  const ids = old.map(({ id }) => id);
  await tx
    .delete(backupBlobs)
    .where(and(eq(backupBlobs.backupId, owner.backupId), inArray(backupBlobs.blobId, ids)));
  await tx.update(backupBlobs).set({ isDraft: false }).where(draftsOf(tx, owner));
};

export const measureBackup = async (db: Queryable, { accountId, backupId }: Owner) => {
  const isAddedByIt = sql`${blobs.addedBy} = ${backupId}`;
  const [measured] = await db
    .select({
      sizeBytes: sum(blobs.sizeBytes).mapWith(Number),
      storedBytes: sql`sum(${blobs.storedBytes}) filter (where ${isAddedByIt})`.mapWith(Number),
    })
    .from(backupBlobs)
    .innerJoin(blobs, eq(blobs.id, backupBlobs.blobId))
    .where(and(eq(backupBlobs.backupId, backupId), eq(blobs.accountId, accountId)));
  return { sizeBytes: measured?.sizeBytes ?? 0, storedBytes: measured?.storedBytes ?? 0 };
};

export const listBlobsOfBackup = (db: Queryable, { accountId, backupId }: Owner) =>
  db
    .select(blobFields)
    .from(backupBlobs)
    .innerJoin(blobs, eq(blobs.id, backupBlobs.blobId))
    .where(
      and(
        eq(backupBlobs.backupId, backupId),
        eq(backupBlobs.isDraft, false),
        eq(blobs.accountId, accountId),
      ),
    );

export const listBlobsOfHolder = (db: Queryable, { accountId, holderId }: Holder) =>
  db
    .select(blobFields)
    .from(blobHolds)
    .innerJoin(blobs, eq(blobs.id, blobHolds.blobId))
    .where(and(eq(blobHolds.holderId, holderId), eq(blobs.accountId, accountId)));

/** The holder's objects can be released, unless something else refers to them. */
export const releaseHolds = async (tx: Transaction, holderId: string) => {
  await tx.delete(blobHolds).where(eq(blobHolds.holderId, holderId));
};

export const findBlob = (db: Queryable, accountId: string, hash: string) =>
  firstRow(
    db
      .select(blobFields)
      .from(blobs)
      .where(and(eq(blobs.accountId, accountId), eq(blobs.hash, hash))),
  );

/** Nothing refers to it, and nobody can still be reading it. */
export const isUnreferenced = (db: Queryable) => {
  const referring = (table: typeof backupBlobs | typeof blobHolds) =>
    db.select({ blobId: table.blobId }).from(table).where(eq(table.blobId, blobs.id));
  const isGraceOver = or(isNull(blobs.keptUntil), lte(blobs.keptUntil, sql`now()`));
  return and(isGraceOver, notExists(referring(backupBlobs)), notExists(referring(blobHolds)));
};

/**
 * Deletes the rows of at most `most` objects without a reference, and releases their storage. They are
 * locked first and checked again afterwards, so that an object with a new reference stays.
 */
export const deleteUnreferenced = async (tx: Transaction, accountId: string, most: number) => {
  await tx
    .select({ bytes: storageUsed.bytes })
    .from(storageUsed)
    .where(eq(storageUsed.accountId, accountId))
    .for('update');
  const candidates = await tx
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(eq(blobs.accountId, accountId), isUnreferenced(tx)))
    .limit(most)
    .for('update', { skipLocked: true });
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ id }) => id);
  const deleted = await tx
    .delete(blobs)
    .where(and(eq(blobs.accountId, accountId), inArray(blobs.id, ids), isUnreferenced(tx)))
    .returning({
      id: blobs.id,
      accountId: blobs.accountId,
      hash: blobs.hash,
      bytes: blobs.storedBytes,
    });
  const releasedBytes = deleted.reduce((total, { bytes }) => total + bytes, 0);
  await addToStorage(tx, accountId, -releasedBytes);
  return deleted;
};

export const sealedObjects: SealedRows = { from: blobs, keyId: sql`${blobs.sealKeyId}` };

/** Objects that are sealed under another master key than this one, in the order of their ids. */
export const listObjectsToRewrap = (
  db: Queryable,
  sealKeyId: string,
  { after, most }: { after: string | undefined; most: number },
) =>
  db
    .select(blobFields)
    .from(blobs)
    .where(
      and(
        isUnderOtherKey(blobs.sealKeyId, sealKeyId),
        eq(blobs.isStored, true),
        after === undefined ? undefined : gt(blobs.id, after),
      ),
    )
    .orderBy(blobs.id)
    .limit(most);
