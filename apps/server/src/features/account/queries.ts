import { and, count, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../db/connect.ts';
import { prepared } from '../../db/prepared.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';
import { users } from '../users/table.ts';

/** The user with both counts, in one question. */
const accountById = prepared((db) => {
  const userId = sql.placeholder('userId');
  const serverCount = db
    .select({ total: count() })
    .from(servers)
    .where(and(eq(servers.userId, userId), isNull(servers.deletedAt)));
  const botCount = db.select({ total: count() }).from(bots).where(eq(bots.userId, userId));
  const { id, platformId, username, displayName, avatarUrl, plan, mfaEnabled, createdAt } = users;
  return db
    .select({
      ...{ id, platformId, username, displayName, avatarUrl, plan, mfaEnabled, createdAt },
      servers: sql<number>`(${serverCount})`.mapWith(Number),
      customBots: sql<number>`(${botCount})`.mapWith(Number),
    })
    .from(users)
    .where(eq(users.id, userId))
    .prepare('account_by_id');
});

export const findAccount = async (db: Queryable, userId: string) => {
  const [account] = await accountById(db).execute({ userId });
  return account;
};
