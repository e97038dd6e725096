import { and, asc, eq, exists, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { users } from '../../users/table.ts';
import type { SectionName } from '../snapshot.ts';
import { blobPeople, blobs, erasures } from '../table.ts';
import type { PersonHash } from './hash-person.ts';

/** The tombstones that hold for what was saved at that moment. */
export const listErased = async (
  db: Queryable,
  userId: string,
  savedAt: Date,
): Promise<string[]> => {
  const rows = await db
    .select({ personHash: erasures.personHash })
    .from(erasures)
    .where(
      and(
        eq(erasures.userId, userId),
        or(isNull(erasures.liftedAt), gt(erasures.liftedAt, savedAt)),
      ),
    );
  return rows.map(({ personHash }) => personHash);
};

/** False where the person was erased already and did not come back since. */
export const insertErasure = async (
  tx: Transaction,
  userId: string,
  person: PersonHash,
): Promise<boolean> => {
  const erased = await tx
    .insert(erasures)
    .values({ userId, ...person })
    .onConflictDoUpdate({
      target: [erasures.userId, erasures.personHash],
      set: { erasedAt: sql`now()`, liftedAt: null },
      setWhere: isNotNull(erasures.liftedAt),
    })
    .returning({ userId: erasures.userId });
  return erased.length > 0;
};

export const liftErasure = async (
  tx: Transaction,
  userId: string,
  { personHash }: PersonHash,
): Promise<void> => {
  await tx
    .update(erasures)
    .set({ liftedAt: sql`now()` })
    .where(
      and(
        eq(erasures.userId, userId),
        eq(erasures.personHash, personHash),
        isNull(erasures.liftedAt),
      ),
    );
};

export type PeopleOfBlob = { blobId: string; section: SectionName; people: bigint[] };

export const insertPeople = async (
  tx: Transaction,
  userId: string,
  rows: PeopleOfBlob[],
): Promise<void> => {
  if (rows.length === 0) return;
  await tx
    .insert(blobPeople)
    .values(rows.map((row) => ({ ...row, userId })))
    .onConflictDoNothing();
};

/** Accounts of which some object holds people, or may hold people, in the order of their ids. */
export const listAccountsWithPeople = (
  db: Queryable,
  { after, most }: { after: string; most: number },
) => {
  const indexed = db
    .select({ id: blobPeople.blobId })
    .from(blobPeople)
    .where(eq(blobPeople.userId, users.id));
  const unindexed = db
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(eq(blobs.userId, users.id), eq(blobs.isIndexed, false)));
  return db
    .select({ userId: users.id, mayHold: sql<boolean>`${exists(unindexed)}` })
    .from(users)
    .where(and(gt(users.id, after), or(exists(indexed), exists(unindexed))))
    .orderBy(asc(users.id))
    .limit(most);
};

/** Which of these accounts have an object that holds the person, by the hash they have there. */
export const findHolders = async (
  db: Queryable,
  people: { userId: string; indexHash: bigint }[],
): Promise<Set<string>> => {
  if (people.length === 0) return new Set();
  const hashes = sql`array[${sql.join(
    people.map(({ indexHash }) => sql`${indexHash}::bigint`),
    sql`, `,
  )}]`;
  const userIds = people.map(({ userId }) => userId);
  const rows = await db
    .selectDistinct({ userId: blobPeople.userId, people: matchesOf(hashes) })
    .from(blobPeople)
    .where(and(inArray(blobPeople.userId, userIds), sql`${blobPeople.people} && ${hashes}`));
  const hashOf = new Map(people.map(({ userId, indexHash }) => [userId, indexHash.toString()]));
  return new Set(
    rows
      .filter((row) => row.people.split(',').includes(hashOf.get(row.userId) ?? ''))
      .map(({ userId }) => userId),
  );
};

/** Hashes of two accounts never mean the same person, however alike they are. */
const matchesOf = (hashes: ReturnType<typeof sql>) =>
  sql<string>`array_to_string(array(
    select unnest(${blobPeople.people}) intersect select unnest(${hashes})), ',')`;
