import { and, eq, exists, isNotNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { blacklist } from '../../blacklist/table.ts';
import { searchTextOf } from '../rules.ts';
import { members } from '../table.ts';

const { id, serverId, accountId, platformId } = members;

/** On all servers of the account, when the person's blacklist entry is added or deleted. */
export const setBlacklisted = async (
  tx: Transaction,
  person: { accountId: string; platformId: string },
  blacklisted: boolean,
): Promise<void> => {
  await tx
    .update(members)
    .set({ blacklisted })
    .where(and(eq(accountId, person.accountId), eq(platformId, person.platformId)));
};

type VerifiedMember = Omit<typeof members.$inferInsert, 'searchText' | 'verifiedAt'>;

/** Inserts or updates the member. One who consents again keeps the date of their first consent. */
export const putVerifiedMember = async (tx: Transaction, row: VerifiedMember): Promise<string> => {
  const searchText = searchTextOf(row.username, row.displayName ?? null);
  const { id: _id, serverId: _server, accountId: _account, platformId: _person, ...changes } = row;
  const [member] = await tx
    .insert(members)
    .values({ ...row, searchText })
    .onConflictDoUpdate({
      target: [serverId, platformId],
      set: {
        ...changes,
        searchText,
        consentedAt: sql`case when excluded.consented_at is not null
          then coalesce(${members.consentedAt}, excluded.consented_at) end`,
        verifiedAt: sql`now()`,
      },
      setWhere: eq(accountId, row.accountId),
    })
    .returning({ id });
  if (!member) throw new Error('The member could not be stored');
  markChanged(tx, row, 'members');
  return member.id;
};

/** Whether the person consents to recovery by this bot on any server of the account. */
export const hasConsent = async (
  db: Queryable,
  person: { accountId: string; platformId: string; botId: string },
): Promise<boolean> => {
  const found = await db
    .select({ id })
    .from(members)
    .where(
      and(
        eq(accountId, person.accountId),
        eq(platformId, person.platformId),
        eq(members.botId, person.botId),
        isNotNull(members.consentedAt),
      ),
    )
    .limit(1);
  return found.length > 0;
};

/** The bot that holds the tokens of a person who was verified before, if they gave any. */
export const findTokenBot = async (
  db: Queryable,
  person: { accountId: string; serverId: string; platformId: string },
): Promise<string | null> => {
  const [member] = await db
    .select({ botId: members.botId })
    .from(members)
    .where(
      and(
        eq(serverId, person.serverId),
        eq(accountId, person.accountId),
        eq(platformId, person.platformId),
      ),
    );
  return member?.botId ?? null;
};

/** For a person who was blacklisted while their verification was completed. */
export const markIfBlacklisted = async (
  db: Queryable,
  owner: { memberId: string; accountId: string },
): Promise<void> => {
  const entry = db
    .select({ id: blacklist.id })
    .from(blacklist)
    .where(and(eq(blacklist.accountId, accountId), eq(blacklist.platformId, platformId)));
  await db
    .update(members)
    .set({ blacklisted: true })
    .where(
      and(
        eq(id, owner.memberId),
        eq(accountId, owner.accountId),
        eq(members.blacklisted, false),
        exists(entry),
      ),
    );
  markChanged(db, owner, 'members');
};

/** Device hashes expire in the member's record too. */
export const deleteFingerprints = async (
  db: Queryable,
  hashes: { serverId: string; platformId: string; hash: string }[],
): Promise<void> => {
  if (hashes.length === 0) return;
  const rows = hashes.map(
    ({ serverId, platformId, hash }) => sql`(${serverId}::uuid, ${platformId}, ${hash})`,
  );
  await db
    .update(members)
    .set({ fingerprint: null })
    .where(
      sql`(${serverId}, ${platformId}, ${members.fingerprint}) in (${sql.join(rows, sql`, `)})`,
    );
};
