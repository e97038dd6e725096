import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import type { BackupOwner } from '../queries.ts';
import { backups } from '../table.ts';

/** Violates a constraint while a restore reads it. */
export const deleteTemporary = (tx: Transaction, { accountId, backupId }: BackupOwner) =>
  firstRow(
    tx
      .delete(backups)
      .where(
        and(
          eq(backups.id, backupId),
          eq(backups.accountId, accountId),
          eq(backups.isTemporary, true),
        ),
      )
      .returning({ serverId: backups.serverId }),
  );
