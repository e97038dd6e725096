import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { hasRows } from '../../../db/queries/rows.ts';
import { restoreSteps, restores } from '../table.ts';
import { type RestoreOwner, selectOwnId } from './restores.ts';

/** The webhooks that a restore made anew. */
export const listCreatedWebhooks = (db: Queryable, owner: RestoreOwner) =>
  db
    .select({ webhookId: sql<string>`${restoreSteps.createdId}`, name: restoreSteps.name })
    .from(restoreSteps)
    .where(
      and(
        inArray(restoreSteps.restoreId, selectOwnId(db, owner)),
        eq(restoreSteps.type, 'webhook'),
        eq(restoreSteps.effect, 'create'),
        isNotNull(restoreSteps.createdId),
      ),
    )
    .orderBy(restoreSteps.seq);

export const findWebhooksShownAt = async (
  db: Queryable,
  owner: RestoreOwner,
): Promise<Date | null> => {
  const [restore] = await db
    .select({ shownAt: restores.webhooksShownAt })
    .from(restores)
    .where(and(eq(restores.id, owner.restoreId), eq(restores.accountId, owner.accountId)));
  return restore?.shownAt ?? null;
};

/** False where they were shown before. */
export const markWebhooksShown = (tx: Transaction, owner: RestoreOwner): Promise<boolean> =>
  hasRows(
    tx
      .update(restores)
      .set({ webhooksShownAt: sql`now()` })
      .where(
        and(
          eq(restores.id, owner.restoreId),
          eq(restores.accountId, owner.accountId),
          isNull(restores.webhooksShownAt),
        ),
      )
      .returning({ id: restores.id }),
  );
