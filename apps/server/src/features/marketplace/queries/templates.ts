import { and, eq, isNull, lt } from 'drizzle-orm';
import type { Queryable, Transaction } from '../../../db/connect.ts';
import { templates } from '../table.ts';

export const insertTemplate = async (
  db: Queryable,
  template: { id: string; accountId: string },
): Promise<void> => {
  await db.insert(templates).values(template);
};

type CompleteTemplate = Pick<
  typeof templates.$inferSelect,
  'id' | 'accountId' | 'components' | 'counts'
> & {
  manifest: string;
};

/** False where the template is deleted or belongs to another listing. */
export const assignTemplate = async (
  tx: Transaction,
  { id, accountId, ...stored }: CompleteTemplate,
  listingId: string,
): Promise<boolean> => {
  const assigned = await tx
    .update(templates)
    .set({ ...stored, listingId })
    .where(
      and(eq(templates.id, id), eq(templates.accountId, accountId), isNull(templates.listingId)),
    )
    .returning({ id: templates.id });
  return assigned.length > 0;
};

export const findTemplate = async (db: Queryable, ofListing: string) => {
  const { id, accountId, manifest, components, counts, listingId } = templates;
  const [template] = await db
    .select({ id, accountId, manifest, components, counts })
    .from(templates)
    .where(eq(listingId, ofListing));
  return template;
};

/** Templates without a listing: the request that made them was refused, or its process died. */
export const listUnusedTemplates = (db: Queryable, before: Date, limit: number) =>
  db
    .select({ id: templates.id, accountId: templates.accountId })
    .from(templates)
    .where(and(isNull(templates.listingId), lt(templates.createdAt, before)))
    .limit(limit);

/** False where it has got a listing meanwhile. */
export const deleteUnusedTemplate = async (tx: Transaction, id: string): Promise<boolean> => {
  const deleted = await tx
    .delete(templates)
    .where(and(eq(templates.id, id), isNull(templates.listingId)))
    .returning({ id: templates.id });
  return deleted.length > 0;
};

/** Returns the ids, under which the templates hold objects. */
export const deleteTemplates = (tx: Transaction, accountId: string) =>
  tx.delete(templates).where(eq(templates.accountId, accountId)).returning({ id: templates.id });
