import { and, eq, isNull, lt } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { templates } from '../table.ts';

export const insertTemplate = async (
  db: Queryable,
  template: { id: string; accountId: string },
): Promise<void> => {
  await db.insert(templates).values(template);
};

type Stored = Pick<typeof templates.$inferSelect, 'id' | 'accountId' | 'components' | 'counts'> & {
  manifest: string;
};

/** From here on it is that listing's; false where it is gone, or another's. */
export const giveToListing = async (
  tx: Transaction,
  { id, accountId, ...stored }: Stored,
  listingId: string,
): Promise<boolean> => {
  const given = await tx
    .update(templates)
    .set({ ...stored, listingId })
    .where(and(eq(templates.id, id), eq(templates.accountId, accountId), isNull(templates.listingId)))
    .returning({ id: templates.id });
  return given.length > 0;
};

export const findTemplate = async (db: Queryable, ofListing: string) => {
  const { id, accountId, manifest, components, counts, listingId } = templates;
  const [template] = await db
    .select({ id, accountId, manifest, components, counts })
    .from(templates)
    .where(eq(listingId, ofListing));
  return template;
};

/** Those that no listing came to have: the request that made them was refused, or died. */
export const listStrayTemplates = (db: Queryable, before: Date, most: number) =>
  db
    .select({ id: templates.id, accountId: templates.accountId })
    .from(templates)
    .where(and(isNull(templates.listingId), lt(templates.createdAt, before)))
    .limit(most);

/** False where a listing came to have it meanwhile. */
export const deleteStrayTemplate = async (tx: Transaction, id: string): Promise<boolean> => {
  const gone = await tx
    .delete(templates)
    .where(and(eq(templates.id, id), isNull(templates.listingId)))
    .returning({ id: templates.id });
  return gone.length > 0;
};
