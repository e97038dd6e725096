import { and, eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { verifyPages } from '../table.ts';

type OfServer = { accountId: string; serverId: string };
type Texts = { title: string | null; welcome: string | null; accent: string | null };

export const findPageTexts = async (
  db: Queryable,
  { accountId, serverId }: OfServer,
): Promise<Texts> => {
  const { title, welcome, accent } = verifyPages;
  const found = await firstRow(
    db
      .select({ title, welcome, accent })
      .from(verifyPages)
      .where(and(eq(verifyPages.serverId, serverId), eq(verifyPages.accountId, accountId))),
  );
  return found ?? { title: null, welcome: null, accent: null };
};

export const storePageTexts = async (tx: Transaction, server: OfServer, texts: Partial<Texts>) => {
  await tx
    .insert(verifyPages)
    .values({ ...server, ...texts })
    .onConflictDoUpdate({
      target: verifyPages.serverId,
      set: { ...texts, updatedAt: sql`now()` },
    });
};
