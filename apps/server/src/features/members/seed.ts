import type { Database } from '../../db/connect.ts';
import { findServerOwner, insertMadeUpMembers, refreshMemberStatistics } from './queries.ts';

const rowsAtATime = 20_000;

/** Fills a server with made-up members, verified over the past year, for trials and measurements. */
export const seedMembers = async (
  db: Database,
  serverId: string,
  { count, pullable }: { count: number; pullable: number },
) => {
  if (pullable > count) throw new Error('--pullable is more than --count');
  const userId = await findServerOwner(db, serverId);
  if (!userId) throw new Error('No such server');
  for (let first = 0; first < count; first += rowsAtATime) {
    const last = Math.min(first + rowsAtATime, count) - 1;
    await insertMadeUpMembers(db, { id: serverId, userId }, { first, last, count, pullable });
  }
  await refreshMemberStatistics(db);
  return { serverId, seeded: count, pullable };
};
