import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { markChanged, type Queryable, type Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { type RestoredSort, restoredIds, servers } from '../table.ts';

type Owned = { accountId: string; serverId: string };
type InGuild = Owned & { guildId: string };

const inGuild = ({ accountId, serverId, guildId }: InGuild) =>
  and(
    eq(servers.id, serverId),
    eq(servers.accountId, accountId),
    eq(servers.platformGuildId, guildId),
    isNull(servers.deletedAt),
  );

export type PointerChanges = Partial<
  Pick<
    typeof servers.$inferInsert,
    'verifiedRoleId' | 'logChannelId' | 'missingRoleId' | 'missingChannelId'
  >
>;

const pointerFields = {
  verifiedRoleId: servers.verifiedRoleId,
  logChannelId: servers.logChannelId,
};

/** Undefined where the server is deleted, or has moved to another guild. */
export const lockPointers = (tx: Transaction, server: InGuild) =>
  firstRow(tx.select(pointerFields).from(servers).where(inGuild(server)).for('no key update'));

/** Those that are set, and whether they are known to name nothing. */
export const findPointers = (db: Queryable, server: InGuild) =>
  firstRow(
    db
      .select({
        ...pointerFields,
        missingRoleId: servers.missingRoleId,
        missingChannelId: servers.missingChannelId,
      })
      .from(servers)
      .where(inGuild(server)),
  );

export const storePointers = async (
  db: Queryable,
  server: InGuild,
  changes: PointerChanges,
): Promise<void> => {
  if (Object.keys(changes).length === 0) return;
  const isOtherRole = 'verifiedRoleId' in changes;
  const isMoved = isOtherRole || 'logChannelId' in changes;
  await db
    .update(servers)
    .set({
      ...changes,
      ...(isMoved ? { updatedAt: sql`now()` } : {}),
      // Nobody has confirmed another role.
      confirmedRole: isOtherRole ? null : undefined,
    })
    .where(inGuild(server));
  markChanged(db, server, 'servers');
};

/** The ids from which restores made these, in whichever guild. */
export const listFormerIds = async (
  db: Queryable,
  accountId: string,
  sort: RestoredSort,
  ids: string[],
): Promise<string[]> => {
  const rows = await db
    .select({ oldId: restoredIds.oldId })
    .from(restoredIds)
    .where(
      and(
        eq(restoredIds.accountId, accountId),
        eq(restoredIds.sort, sort),
        inArray(restoredIds.newId, ids),
      ),
    )
    .orderBy(desc(restoredIds.createdAt));
  return rows.map(({ oldId }) => oldId);
};

/** What restores gave for these ids in one guild, the newest first. */
export const listGivenIn = (
  db: Queryable,
  { accountId, guildId }: { accountId: string; guildId: string },
  sort: RestoredSort,
  ids: string[],
) =>
  db
    .select({ oldId: restoredIds.oldId, newId: restoredIds.newId })
    .from(restoredIds)
    .where(
      and(
        eq(restoredIds.accountId, accountId),
        eq(restoredIds.guildId, guildId),
        eq(restoredIds.sort, sort),
        inArray(restoredIds.oldId, ids),
      ),
    )
    .orderBy(desc(restoredIds.createdAt), desc(restoredIds.newId));
