import { and, eq, exists, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { blacklist } from '../../blacklist/table.ts';
import { members } from '../table.ts';

/** Somebody put onto the blacklist at the very moment they were verified is marked here. */
export const markIfBlacklisted = async (
  db: Queryable,
  owner: { memberId: string; accountId: string },
): Promise<void> => {
  const entry = db
    .select({ id: blacklist.id })
    .from(blacklist)
    .where(and(eq(blacklist.accountId, members.accountId), eq(blacklist.platformId, members.platformId)));
  await db
    .update(members)
    .set({ blacklisted: true })
    .where(
      and(
        eq(members.id, owner.memberId),
        eq(members.accountId, owner.accountId),
        eq(members.blacklisted, false),
        exists(entry),
      ),
    );
};

/** A device's mark is kept for a while only, in the member's record too. */
export const forgetFingerprints = async (
  db: Queryable,
  marks: { serverId: string; platformId: string; hash: string }[],
): Promise<void> => {
  if (marks.length === 0) return;
  const rows = marks.map(
    ({ serverId, platformId, hash }) => sql`(${serverId}::uuid, ${platformId}, ${hash})`,
  );
  await db
    .update(members)
    .set({ fingerprint: null })
    .where(
      sql`(${members.serverId}, ${members.platformId}, ${members.fingerprint}) in (${sql.join(rows, sql`, `)})`,
    );
};
