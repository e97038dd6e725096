import { eq, inArray, lt, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../db/connect.ts';
import { firstRow } from '../../db/queries/rows.ts';
import { dashboardFiles } from './table.ts';

export type DashboardFile = Pick<typeof dashboardFiles.$inferSelect, 'name' | 'type' | 'text'>;

/** Returns the names of those that were kept before. */
export const markServed = async (tx: Transaction, names: string[]): Promise<Set<string>> => {
  const marked = await tx
    .update(dashboardFiles)
    .set({ servedAt: sql`now()` })
    .where(inArray(dashboardFiles.name, names))
    .returning({ name: dashboardFiles.name });
  return new Set(marked.map(({ name }) => name));
};

export const insertDashboardFile = async (db: Database, file: DashboardFile): Promise<void> => {
  await db.insert(dashboardFiles).values(file).onConflictDoNothing();
};

export const findDashboardFile = (
  db: Database,
  name: string,
): Promise<Omit<DashboardFile, 'name'> | undefined> =>
  firstRow(
    db
      .select({ type: dashboardFiles.type, text: dashboardFiles.text })
      .from(dashboardFiles)
      .where(eq(dashboardFiles.name, name)),
  );

export const deleteUnservedFiles = async (db: Database, keptDays: number): Promise<void> => {
  await db
    .delete(dashboardFiles)
    .where(lt(dashboardFiles.servedAt, sql`now() - make_interval(days => ${keptDays})`));
};
