import { and, eq, gt, inArray, isNull, lte, ne, notExists, or, sql, sum } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../../db/connect.ts';
import type { SealedRows } from '../../../db/sealed/queries.ts';
import { accounts } from '../../accounts/table.ts';
import { backupBlobs, backups, blobHolds, blobs, storageUsed } from '../table.ts';

export type Blob = { id: string; accountId: string; hash: string };
type Owner = { accountId: string; backupId: string };
/** A backup that is being rewritten: what is saved for it becomes part of it when all is there. */
type Draft = Owner & { isDraft: true };
type Holder = { accountId: string; holderId: string };
/** On whose behalf objects are kept. */
export type Referrer = Owner | Draft | Holder;

const blobFields = {
  id: blobs.id,
  accountId: blobs.accountId,
  hash: blobs.hash,
  sizeBytes: blobs.sizeBytes,
  storedBytes: blobs.storedBytes,
  isStored: blobs.isStored,
};

/** The account's objects of these hashes; from here on the backup, or the holder, refers to them. */
export const referToBlobs = async (tx: Transaction, referrer: Referrer, hashes: string[]) => {
  const found = await tx
    .select(blobFields)
    .from(blobs)
    .where(and(eq(blobs.accountId, referrer.accountId), inArray(blobs.hash, hashes)))
    .for('key share');
  await addReferences(tx, referrer, found);
  return found;
};

const addReferences = async (tx: Transaction, referrer: Referrer, found: Blob[]): Promise<void> => {
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

type NewBlob = {
  id: string;
  hash: string;
  sizeBytes: number;
  storedBytes: number;
  sealKeyId: string;
};

/** Without those that somebody else just added. */
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

/** Just added, so their sizes are right already. */
export const markBlobsStored = async (db: Database, added: Blob[]): Promise<void> => {
  const [first] = added;
  if (!first) return;
  const ids = added.map(({ id }) => id);
  await db
    .update(blobs)
    .set({ isStored: true })
    .where(and(eq(blobs.accountId, first.accountId), inArray(blobs.id, ids)));
};

/**
 * Its file was written and read back. Written again under another key it can be a few bytes longer
 * or shorter than before, and the account's count goes with it.
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

/** False where it would pass the limit. Holds the account's count until the transaction ends. */
export const reserveStorage = async (
  tx: Transaction,
  accountId: string,
  bytes: number,
  limitBytes: number,
): Promise<boolean> => {
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

export const usedStorageBytes = async (db: Queryable, accountId: string): Promise<number> => {
  const [used] = await db
    .select({ bytes: storageUsed.bytes })
    .from(storageUsed)
    .where(eq(storageUsed.accountId, accountId));
  return used?.bytes ?? 0;
};

/** A backup that begins anew refers to nothing yet. */
export const dropReferences = async (db: Queryable, owner: Owner): Promise<void> => {
  const own = db
    .select({ id: backups.id })
    .from(backups)
    .where(and(eq(backups.id, owner.backupId), eq(backups.accountId, owner.accountId)));
  await db.delete(backupBlobs).where(inArray(backupBlobs.backupId, own));
};

const draftsOf = (db: Queryable, owner: Owner) => {
  const own = db
    .select({ id: backups.id })
    .from(backups)
    .where(and(eq(backups.id, owner.backupId), eq(backups.accountId, owner.accountId)));
  return and(inArray(backupBlobs.backupId, own), eq(backupBlobs.isDraft, true));
};

/** What an earlier redaction left behind that did not come to its end. */
export const dropDrafts = async (tx: Transaction, owner: Owner): Promise<void> => {
  await tx.delete(backupBlobs).where(draftsOf(tx, owner));
};

/**
 * The backup is rewritten: the drafts are part of it, the replaced objects are not. Whoever reads it at
 * this moment by its old checksum has so many seconds to finish.
 */
export const replaceReferences = async (
  tx: Transaction,
  owner: Owner,
  { replaced, graceSeconds }: { replaced: string[]; graceSeconds: number },
): Promise<void> => {
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
  const [measured] = await db
    .select({
      sizeBytes: sum(blobs.sizeBytes).mapWith(Number),
      storedBytes: sql<string>`coalesce(sum(${blobs.storedBytes}) filter (where ${blobs.addedBy} = ${backupId}), 0)`,
    })
    .from(backupBlobs)
    .innerJoin(blobs, eq(blobs.id, backupBlobs.blobId))
    .where(and(eq(backupBlobs.backupId, backupId), eq(blobs.accountId, accountId)));
  return {
    sizeBytes: measured?.sizeBytes ?? 0,
    storedBytes: Number(measured?.storedBytes ?? 0),
  };
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

/** Its objects are free to go, unless something else refers to them. */
export const releaseHolds = async (tx: Transaction, holderId: string): Promise<void> => {
  await tx.delete(blobHolds).where(eq(blobHolds.holderId, holderId));
};

export const findBlob = async (db: Queryable, accountId: string, hash: string) => {
  const [blob] = await db
    .select(blobFields)
    .from(blobs)
    .where(and(eq(blobs.accountId, accountId), eq(blobs.hash, hash)));
  return blob;
};

const isUnreferenced = (db: Queryable) => {
  const { blobId } = backupBlobs;
  const references = db.select({ blobId }).from(backupBlobs).where(eq(blobId, blobs.id));
  const holds = db
    .select({ blobId: blobHolds.blobId })
    .from(blobHolds)
    .where(eq(blobHolds.blobId, blobs.id));
  const isOver = or(isNull(blobs.keptUntil), lte(blobs.keptUntil, sql`now()`));
  return and(isOver, notExists(references), notExists(holds));
};

/**
 * Takes the rows of objects that nothing refers to, at most so many, and gives their storage back.
 * They are locked first and looked at again after: a reference that came meanwhile keeps its object.
 */
export const takeUnreferenced = async (tx: Transaction, accountId: string, most: number) => {
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
  const taken = await tx
    .delete(blobs)
    .where(and(eq(blobs.accountId, accountId), inArray(blobs.id, ids), isUnreferenced(tx)))
    .returning({ id: blobs.id, accountId: blobs.accountId, hash: blobs.hash, bytes: blobs.storedBytes });
  const freed = taken.reduce((total, { bytes }) => total + bytes, 0);
  await addToStorage(tx, accountId, -freed);
  return taken;
};

/** Whose objects may have to be freed. */
export const listAccountsWithUnreferenced = async (db: Queryable): Promise<string[]> => {
  const found = await db
    .selectDistinct({ accountId: blobs.accountId })
    .from(blobs)
    .where(isUnreferenced(db));
  return found.map(({ accountId }) => accountId);
};

/** Which of these objects, and which of these accounts, are known. */
export const whichAreKnown = async (
  db: Queryable,
  ids: { copyIds: string[]; accountIds: string[] },
): Promise<Set<string>> => {
  const objects = await db
    .select({ id: blobs.id })
    .from(blobs)
    .where(inArray(blobs.id, ids.copyIds));
  const owners = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(inArray(accounts.id, ids.accountIds));
  return new Set([...objects, ...owners].map(({ id }) => id));
};

export const sealedObjects: SealedRows = { from: blobs, keyId: sql`${blobs.sealKeyId}` };

/** In the order of their ids, after the last one seen. */
export const listObjectsSealedElsewhere = (
  db: Queryable,
  sealKeyId: string,
  { after, most }: { after: string; most: number },
) =>
  db
    .select(blobFields)
    .from(blobs)
    .where(and(ne(blobs.sealKeyId, sealKeyId), eq(blobs.isStored, true), gt(blobs.id, after)))
    .orderBy(blobs.id)
    .limit(most);
