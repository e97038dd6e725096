import { and, asc, desc, eq, exists, gt, isNotNull, isNull, notExists, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { accounts } from '../../accounts/table.ts';
import { servers } from '../../servers/table.ts';
import type { SectionName } from '../snapshot/snapshot.ts';
import { backupBlobs, backups, blobPeople, blobs, erasures, storageUsed } from '../table.ts';

/** A person under an account's key: the whole hash, and its first 64 bits for the index. */
export type PersonHash = { personHash: string; indexHash: bigint };

/** The tombstones that hold for what was saved at that moment. */
export const listErased = async (
  db: Queryable,
  accountId: string,
  savedAt: Date,
): Promise<string[]> => {
  const rows = await db
    .select({ personHash: erasures.personHash })
    .from(erasures)
    .where(
      and(
        eq(erasures.accountId, accountId),
        or(isNull(erasures.liftedAt), gt(erasures.liftedAt, savedAt)),
      ),
    );
  return rows.map(({ personHash }) => personHash);
};

/** False where the person has a tombstone that was not lifted. */
export const insertErasure = (tx: Transaction, accountId: string, person: PersonHash) =>
  hasRows(
    tx
      .insert(erasures)
      .values({ accountId, ...person })
      .onConflictDoUpdate({
        target: [erasures.accountId, erasures.personHash],
        set: { erasedAt: sql`now()`, liftedAt: null },
        setWhere: isNotNull(erasures.liftedAt),
      })
      .returning({ accountId: erasures.accountId }),
  );

export const markErasureLifted = async (
  tx: Transaction,
  accountId: string,
  { personHash }: PersonHash,
) => {
  await tx
    .update(erasures)
    .set({ liftedAt: sql`now()` })
    .where(
      and(
        eq(erasures.accountId, accountId),
        eq(erasures.personHash, personHash),
        isNull(erasures.liftedAt),
      ),
    );
};

export type PeopleOfBlob = { blobId: string; section: SectionName; people: bigint[] };

export const insertPeople = async (tx: Transaction, accountId: string, rows: PeopleOfBlob[]) => {
  if (rows.length === 0) return;
  await tx
    .insert(blobPeople)
    .values(rows.map((row) => ({ ...row, accountId })))
    .onConflictDoNothing();
};

/**
 * Accounts that store objects, in the order of their ids, each with its sealed hash key; `mayHold` where
 * not all of its objects are indexed.
 */
export const listAccountsWithObjects = (
  db: Queryable,
  { after, most }: { after: string | undefined; most: number },
) => {
  const unindexed = db
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(eq(blobs.accountId, accounts.id), eq(blobs.isIndexed, false)));
  return db
    .select({
      accountId: accounts.id,
      hashKey: accounts.hashKey,
      mayHold: sql<boolean>`${exists(unindexed)}`,
    })
    .from(storageUsed)
    .innerJoin(accounts, eq(accounts.id, storageUsed.accountId))
    .where(after === undefined ? undefined : gt(storageUsed.accountId, after))
    .orderBy(asc(storageUsed.accountId))
    .limit(most);
};

/**
 * Which of these accounts have an object that holds the person, by the person's hash there. `offset 0`
 * makes PostgreSQL search the index of people first, which finds one object or none, and not the
 * account's objects, of which there can be a hundred thousand.
 */
export const findAccountsHolding = async (
  db: Queryable,
  people: { accountId: string; indexHash: bigint }[],
): Promise<Set<string>> => {
  if (people.length === 0) return new Set();
  const searched = people.map(({ accountId, indexHash }) => ({
    id: accountId,
    hash: String(indexHash),
  }));
  const rows = await db.execute(sql`
    select distinct asked.id
    from json_to_recordset(${JSON.stringify(searched)}::text::json) as asked(id uuid, hash bigint)
    cross join lateral (
      select ${blobPeople.accountId} as holder_id from ${blobPeople}
      where ${blobPeople.people} @> array[asked.hash] offset 0
    ) as held
    where held.holder_id = asked.id`);
  return new Set(rows.map(({ id }) => String(id)));
};

const holdsFor = sql`${erasures.accountId} = ${blobPeople.accountId}
  and ${blobPeople.people} @> array[${erasures.indexHash}]`;
export const isPartOfBackup = and(
  eq(backupBlobs.blobId, blobPeople.blobId),
  eq(backupBlobs.isDraft, false),
);
/** A lifted tombstone still holds for what was saved before. */
const isSavedBeforeLift = sql`(${erasures.liftedAt} is null
  or ${erasures.liftedAt} > coalesce(${backups.startedAt}, ${backups.createdAt}))`;

/** The account's completed backups that hold an erased person. */
export const listBackupsToRedact = async (db: Queryable, accountId: string): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ id: backups.id })
    .from(erasures)
    .innerJoin(blobPeople, holdsFor)
    .innerJoin(backupBlobs, isPartOfBackup)
    .innerJoin(backups, eq(backups.id, backupBlobs.backupId))
    .where(
      and(eq(erasures.accountId, accountId), eq(backups.status, 'completed'), isSavedBeforeLift),
    );
  return rows.map(({ id }) => id);
};

/** The hashes of those objects of a backup that hold an erased person. */
export const listBlobsToRedact = async (
  db: Queryable,
  { accountId, backupId }: { accountId: string; backupId: string },
): Promise<string[]> => {
  const rows = await db
    .selectDistinct({ hash: blobs.hash })
    .from(erasures)
    .innerJoin(blobPeople, holdsFor)
    .innerJoin(backupBlobs, isPartOfBackup)
    .innerJoin(backups, eq(backups.id, backupBlobs.backupId))
    .innerJoin(blobs, eq(blobs.id, blobPeople.blobId))
    .where(and(eq(erasures.accountId, accountId), eq(backups.id, backupId), isSavedBeforeLift));
  return rows.map(({ hash }) => hash);
};

export const listAccountsWithErasures = async (db: Queryable): Promise<string[]> => {
  const rows = await db.selectDistinct({ accountId: erasures.accountId }).from(erasures);
  return rows.map(({ accountId }) => accountId);
};

export type UnindexedBackup = { id: string; accountId: string; checksum: string };

const backupsAtATime = 50;

/** Completed backups that refer to an object that is not indexed. */
export const listUnindexedBackups = async (db: Queryable): Promise<UnindexedBackup[]> => {
  const rows = await db
    .selectDistinct({ id: backups.id, accountId: backups.accountId, checksum: backups.checksum })
    .from(blobs)
    .innerJoin(backupBlobs, eq(backupBlobs.blobId, blobs.id))
    .innerJoin(backups, eq(backups.id, backupBlobs.backupId))
    .where(and(eq(blobs.isIndexed, false), eq(backups.status, 'completed')))
    .limit(backupsAtATime);
  return rows.flatMap(({ checksum, ...row }) => (checksum === null ? [] : [{ ...row, checksum }]));
};

/** The backup's objects that are not indexed: from hash to id. */
export const listUnindexedBlobs = async (
  db: Queryable,
  backupId: string,
): Promise<Map<string, string>> => {
  const rows = await db
    .select({ hash: blobs.hash, id: blobs.id })
    .from(backupBlobs)
    .innerJoin(blobs, eq(blobs.id, backupBlobs.blobId))
    .where(and(eq(backupBlobs.backupId, backupId), eq(blobs.isIndexed, false)));
  return new Map(rows.map(({ hash, id }) => [hash, id]));
};

export const storePeopleOfBlob = async (tx: Transaction, accountId: string, row: PeopleOfBlob) => {
  const ofBlob = and(eq(blobs.id, row.blobId), eq(blobs.accountId, accountId));
  const marked = await tx
    .update(blobs)
    .set({ isIndexed: true })
    .where(ofBlob)
    .returning({ id: blobs.id });
  if (marked.length > 0 && row.people.length > 0) await insertPeople(tx, accountId, [row]);
};

/** Objects that no backup refers to, such as a template's: they hold no people. */
export const markUnreferencedIndexed = async (db: Queryable) => {
  const references = db
    .select({ id: backupBlobs.blobId })
    .from(backupBlobs)
    .where(eq(backupBlobs.blobId, blobs.id));
  await db
    .update(blobs)
    .set({ isIndexed: true })
    .where(and(eq(blobs.isIndexed, false), notExists(references)));
};

/** An account's backups that show the person, the newest first, each with the sections that do. */
export const listBackupsWithPerson = (db: Queryable, accountId: string, person: PersonHash) => {
  const savedAt = sql<Date>`coalesce(${backups.startedAt}, ${backups.createdAt})`;
  return db
    .select({
      serverId: servers.id,
      name: servers.name,
      platformGuildId: servers.platformGuildId,
      backupName: backups.name,
      savedAt: savedAt.mapWith(backups.createdAt),
      sections: sql<string[]>`array_agg(distinct ${blobPeople.section})`,
    })
    .from(blobPeople)
    .innerJoin(backupBlobs, isPartOfBackup)
    .innerJoin(backups, eq(backups.id, backupBlobs.backupId))
    .innerJoin(servers, and(eq(servers.id, backups.serverId), isNull(servers.deletedAt)))
    .where(holdsPerson(db, accountId, person))
    .groupBy(servers.id, backups.id)
    .orderBy(desc(savedAt), desc(backups.id));
};

/** The object holds them, and no tombstone hides them in its backup. */
export const holdsPerson = (
  db: Queryable,
  accountId: string,
  { personHash, indexHash }: PersonHash,
) => {
  const erased = db
    .select({ personHash: erasures.personHash })
    .from(erasures)
    .where(
      and(
        eq(erasures.accountId, accountId),
        eq(erasures.personHash, personHash),
        isSavedBeforeLift,
      ),
    );
  return and(
    eq(blobPeople.accountId, accountId),
    sql`${blobPeople.people} @> array[${indexHash}::bigint]`,
    notExists(erased),
  );
};

/** The last rows of a deleted account, once all its backups are deleted. */
export const deleteErasuresAndUsage = async (tx: Transaction, accountId: string) => {
  await tx.delete(erasures).where(eq(erasures.accountId, accountId));
  await tx.delete(storageUsed).where(eq(storageUsed.accountId, accountId));
};
