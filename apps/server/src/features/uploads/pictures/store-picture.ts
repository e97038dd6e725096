import type { Database } from '../../../db/connect.ts';
import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import { encodePicture, PictureRefused, PictureTooSlow } from '../../../integrations/pictures.ts';
import { forbidden, type HttpError, invalidField, readTooHeavy } from '../../../kernel/errors.ts';
import { newId, newToken } from '../../../kernel/ids.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import { lockAccount } from '../../accounts/queries.ts';
import { createObjectSaver, StorageLimitReached } from '../../backups/objects/save-objects.ts';
import { countUploads, insertUpload } from '../queries.ts';

export type UploadDependencies = { db: Database; blobs: SealedBlobs };

type StoredPicture = {
  id: string;
  token: string;
  width: number;
  height: number;
  bytes: number;
};

/** The same small picture sent again and again takes no storage, but rows. */
const mostUploads = 1000;
const retryAfterSeconds = 5;

type Sent = { accountId: string; maxStorageBytes: number; file: File };

/**
 * Encodes a picture and stores it as an object of the account. It stays invisible until its request is
 * committed; if that never happens, a job deletes it. A reason against it is returned, for the caller to throw.
 */
export const storePicture = async (
  { db, blobs }: UploadDependencies,
  { accountId, maxStorageBytes, file }: Sent,
): Promise<StoredPicture | { refusal: HttpError }> => {
  try {
    const { bytes, width, height } = await encodePicture(accountId, await file.bytes());
    const row = { id: newId(), token: newToken(), width, height, bytes: bytes.length };
    if (!(await addRow(db, { ...row, accountId, hash: blobs.hashOf(bytes) }))) {
      return { refusal: forbidden(`There are ${mostUploads} uploads already`) };
    }
    const holder = { accountId, holderId: row.id };
    const limits = { lease: unleased, limitBytes: maxStorageBytes };
    await createObjectSaver({ db, blobs, ...holder, ...limits })(bytes);
    return row;
  } catch (error) {
    return { refusal: refusalFor(error) };
  }
};

/** A request has no lease. */
const unleased: Pick<Lease, 'transaction'> = { transaction: (db, work) => db.transaction(work) };

type NewRow = StoredPicture & { accountId: string; hash: string };

/** False where the account has too many. */
const addRow = (db: Database, row: NewRow): Promise<boolean> =>
  db.transaction(async (tx) => {
    await lockAccount(tx, row.accountId);
    if ((await countUploads(tx, row.accountId)) >= mostUploads) return false;
    await insertUpload(tx, row);
    return true;
  });

const refusalFor = (error: unknown): HttpError => {
  if (error instanceof PictureRefused) return invalidField('file', error.message);
  if (error instanceof PictureTooSlow) return readTooHeavy(retryAfterSeconds);
  if (error instanceof StorageLimitReached) return forbidden(error.message);
  throw error;
};
