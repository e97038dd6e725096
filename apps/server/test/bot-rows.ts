import { eq } from 'drizzle-orm';
import type { Database } from '../src/db/connect.ts';
import { bots } from '../src/features/bots/table.ts';

export const botRow = async (db: Database, id: string) => {
  const [row] = await db.select().from(bots).where(eq(bots.id, id));
  if (!row) throw new Error('No such bot');
  return row;
};
