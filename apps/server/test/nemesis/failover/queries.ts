import { and, eq } from 'drizzle-orm';
import type { Database } from '../../../src/db/connect.ts';
import { auditEntries } from '../../../src/features/audit/table.ts';
import { blacklist } from '../../../src/features/blacklist/table.ts';

export const listBlacklisted = (db: Database, accountId: string) =>
  db
    .select({ platformId: blacklist.platformId })
    .from(blacklist)
    .where(eq(blacklist.accountId, accountId));

export const countAudited = (db: Database, accountId: string, action: string): Promise<number> =>
  db.$count(
    auditEntries,
    and(eq(auditEntries.accountId, accountId), eq(auditEntries.action, action)),
  );
