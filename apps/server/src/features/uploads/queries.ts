import { and, eq, exists, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from '../../db/connect.ts';
import { countRows } from '../../db/queries/list-page.ts';
import { firstRow, hasRows } from '../../db/queries/rows.ts';
import { isDeleted } from '../accounts/queries.ts';
import { accounts } from '../accounts/table.ts';
import { uploads, uploadUses } from './table.ts';

type OwnUpload = { id: string; accountId: string };
type NewUpload = Omit<typeof uploads.$inferInsert, 'storedAt' | 'unusedSince'>;

export const insertUpload = async (tx: Transaction, upload: NewUpload): Promise<void> => {
  await tx.insert(uploads).values(upload);
};

export const countUploads = (tx: Transaction, accountId: string): Promise<number> =>
  countRows(tx, uploads, eq(uploads.accountId, accountId));

const isOwn = ({ id, accountId }: OwnUpload) =>
  and(eq(uploads.id, id), eq(uploads.accountId, accountId));

/** From now on it can be seen and used. False where it was deleted meanwhile. */
export const markUploadStored = (tx: Transaction, upload: OwnUpload): Promise<boolean> =>
  hasRows(
    tx
      .update(uploads)
      .set({ storedAt: sql`now()` })
      .where(isOwn(upload))
      .returning({ id: uploads.id }),
  );

/** By its address alone, since everybody who has it may see the picture. */
export const findUploadByToken = (db: Database, token: string) =>
  firstRow(
    db
      .select({ id: uploads.id, accountId: uploads.accountId, hash: uploads.hash })
      .from(uploads)
      .innerJoin(accounts, eq(accounts.id, uploads.accountId))
      .where(and(eq(uploads.token, token), isNotNull(uploads.storedAt), sql`not ${isDeleted}`)),
  );

type ExpiryTimes = { unusedBefore: Date; pendingBefore: Date };

const isExpired = ({ unusedBefore, pendingBefore }: ExpiryTimes) =>
  or(
    lt(uploads.unusedSince, unusedBefore),
    and(lt(uploads.unusedSince, pendingBefore), isNull(uploads.storedAt)),
  );

export const listExpiredUploads = (db: Queryable, times: ExpiryTimes, limit: number) =>
  db
    .select({ id: uploads.id, accountId: uploads.accountId, storedAt: uploads.storedAt })
    .from(uploads)
    .where(isExpired(times))
    .limit(limit);

/** False where something has begun to use it meanwhile. */
export const deleteExpiredUpload = (tx: Transaction, upload: OwnUpload, times: ExpiryTimes) =>
  hasRows(
    tx
      .delete(uploads)
      .where(and(isOwn(upload), isExpired(times)))
      .returning({ id: uploads.id }),
  );

/** Returns the ids, under which the uploads hold objects. */
export const deleteUploadsOfAccount = async (tx: Transaction, accountId: string) => {
  await tx.delete(uploadUses).where(eq(uploadUses.accountId, accountId));
  return tx.delete(uploads).where(eq(uploads.accountId, accountId)).returning({ id: uploads.id });
};

/** The record that shows a picture, and the field that names it. */
type PictureHolder = { accountId: string; holderId: string; field: string };

/**
 * Lets the holder use another picture, or none. False where the account has no such upload. The caller
 * has locked the holder. A picture that is being deleted is either gone here or stays.
 */
export const setPicture = async (
  tx: Transaction,
  holder: PictureHolder,
  uploadId: string | null,
): Promise<boolean> => {
  const { accountId, holderId, field } = holder;
  const isOfHolder = and(eq(uploadUses.holderId, holderId), eq(uploadUses.field, field));
  const [before] = await tx
    .select({ uploadId: uploadUses.uploadId })
    .from(uploadUses)
    .where(and(isOfHolder, eq(uploadUses.accountId, accountId)));
  const affected = [before?.uploadId, uploadId].filter((id) => typeof id === 'string');
  const locked = await lockUploads(tx, accountId, affected);
  if (uploadId !== null && !locked.includes(uploadId)) return false;
  if (uploadId === null) await tx.delete(uploadUses).where(isOfHolder);
  else {
    await tx
      .insert(uploadUses)
      .values({ ...holder, uploadId })
      .onConflictDoUpdate({ target: [uploadUses.holderId, uploadUses.field], set: { uploadId } });
  }
  await noteUse(tx, locked, sql`now()`);
  return true;
};

const lockUploads = async (tx: Transaction, accountId: string, ids: string[]) => {
  const locked = await tx
    .select({ id: uploads.id })
    .from(uploads)
    .where(
      and(inArray(uploads.id, ids), eq(uploads.accountId, accountId), isNotNull(uploads.storedAt)),
    )
    .orderBy(uploads.id)
    .for('update');
  return locked.map(({ id }) => id);
};

/** After the uses of these locked uploads have changed: whether each still has one. */
const noteUse = async (tx: Transaction, ids: string[], unusedFrom: SQL): Promise<void> => {
  const uses = tx
    .select({ uploadId: uploadUses.uploadId })
    .from(uploadUses)
    .where(eq(uploadUses.uploadId, uploads.id));
  await tx
    .update(uploads)
    .set({ unusedSince: sql`case when ${exists(uses)} then null else ${unusedFrom} end` })
    .where(inArray(uploads.id, ids));
};

/** The pictures that a record shows, by field. */
export const findPictures = (
  db: Queryable,
  { accountId, holderId }: Omit<PictureHolder, 'field'>,
) =>
  db
    .select({ field: uploadUses.field, id: uploads.id, token: uploads.token })
    .from(uploadUses)
    .innerJoin(uploads, eq(uploads.id, uploadUses.uploadId))
    .where(and(eq(uploadUses.holderId, holderId), eq(uploadUses.accountId, accountId)));

/** With the record goes every picture that nothing else uses, at the next run of the job. */
export const purgePictures = async (tx: Transaction, holderId: string): Promise<number> => {
  const released = await tx
    .select({ accountId: uploadUses.accountId, uploadId: uploadUses.uploadId })
    .from(uploadUses)
    .where(eq(uploadUses.holderId, holderId));
  const [first] = released;
  if (!first) return 0;
  const ids = released.map(({ uploadId }) => uploadId);
  const locked = await lockUploads(tx, first.accountId, ids);
  await tx.delete(uploadUses).where(eq(uploadUses.holderId, holderId));
  await noteUse(tx, locked, sql`now() - interval '1 day'`);
  return released.length;
};
