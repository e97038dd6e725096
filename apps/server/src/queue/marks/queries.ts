import { eq } from 'drizzle-orm';
import type { Queryable } from '../../db/connect.ts';
import { jobMarks } from '../table.ts';

export const findMark = async (db: Queryable, name: string): Promise<string | undefined> => {
  const [mark] = await db
    .select({ after: jobMarks.after })
    .from(jobMarks)
    .where(eq(jobMarks.name, name));
  return mark?.after;
};

export const storeMark = async (db: Queryable, name: string, after: string): Promise<void> => {
  await db
    .insert(jobMarks)
    .values({ name, after })
    .onConflictDoUpdate({ target: jobMarks.name, set: { after } });
};
