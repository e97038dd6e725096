import { and, gt, inArray, lte } from 'drizzle-orm';
import type { Queryable } from '../../../../db/connect.ts';
import { accounts } from '../../../accounts/table.ts';
import { blobs } from '../../table.ts';
import { isUnreferenced } from '../queries.ts';

/** The last one of the next `most` objects, or undefined if there are fewer. */
export const findEndOfObjects = async (
  db: Queryable,
  { after, most }: { after: string; most: number },
): Promise<string | undefined> => {
  const [last] = await db
    .select({ id: blobs.id })
    .from(blobs)
    .where(gt(blobs.id, after))
    .orderBy(blobs.id)
    .offset(most - 1)
    .limit(1);
  return last?.id;
};

/** Whose objects between these two have no reference. */
export const listAccountsWithUnreferenced = async (
  db: Queryable,
  { after, until }: { after: string; until: string | undefined },
): Promise<string[]> => {
  const found = await db
    .selectDistinct({ accountId: blobs.accountId })
    .from(blobs)
    .where(
      and(
        gt(blobs.id, after),
        until === undefined ? undefined : lte(blobs.id, until),
        isUnreferenced(db),
      ),
    );
  return found.map(({ accountId }) => accountId);
};

/** Which of these ids are those of objects. */
export const findExistingIds = async (db: Queryable, ids: string[]): Promise<Set<string>> => {
  const found = await db.select({ id: blobs.id }).from(blobs).where(inArray(blobs.id, ids));
  return new Set(found.map(({ id }) => id));
};

/** Some accounts, in the order of their ids. */
export const listAccountIds = async (
  db: Queryable,
  { after, most }: { after: string; most: number },
): Promise<string[]> => {
  const some = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(gt(accounts.id, after))
    .orderBy(accounts.id)
    .limit(most);
  return some.map(({ id }) => id);
};
