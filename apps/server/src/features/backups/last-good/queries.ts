import { and, eq, isNull } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { servers } from '../../servers/table.ts';
import { backups } from '../table.ts';
import type { GuildStructure } from './structure.ts';

/** Last good backups whose structure is not known, because an earlier version took them. */
export const listWithoutStructure = (db: Queryable, most: number) =>
  db
    .select({
      backupId: backups.id,
      accountId: backups.accountId,
      serverId: backups.serverId,
      checksum: backups.checksum,
    })
    .from(servers)
    .innerJoin(
      backups,
      and(eq(backups.id, servers.lastGoodBackupId), eq(backups.accountId, servers.accountId)),
    )
    .where(and(isNull(servers.deletedAt), isNull(backups.structure)))
    .limit(most);

export const storeStructure = async (
  tx: Transaction,
  { accountId, backupId }: { accountId: string; backupId: string },
  structure: GuildStructure,
): Promise<void> => {
  await tx
    .update(backups)
    .set({ structure })
    .where(and(eq(backups.id, backupId), eq(backups.accountId, accountId)));
};
