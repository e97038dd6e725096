import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { backupBlobs, blobPeople, blobs } from '../table.ts';

/** The hashes of those pages of a backup's members that hold one of the people. */
export const listPagesOfMembers = async (
  db: Queryable,
  { accountId, backupId }: { accountId: string; backupId: string },
  people: readonly bigint[],
): Promise<string[]> => {
  const asked = JSON.stringify(people.map(String));
  const rows = await db
    .selectDistinct({ hash: blobs.hash })
    .from(backupBlobs)
    .innerJoin(blobs, eq(blobs.id, backupBlobs.blobId))
    .innerJoin(blobPeople, eq(blobPeople.blobId, blobs.id))
    .where(
      and(
        eq(backupBlobs.backupId, backupId),
        eq(blobs.accountId, accountId),
        eq(blobPeople.section, 'memberRoles'),
        sql`${blobPeople.people} && array(
          select person::bigint from jsonb_array_elements_text(${asked}::text::jsonb) as asked(person))`,
      ),
    );
  return rows.map(({ hash }) => hash);
};
