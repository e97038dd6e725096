import { and, count, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../db/connect.ts';
import { preparedRead } from '../../db/prepared.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';
import { users } from '../users/table.ts';

/** The user with both counts, in one question. */
const accountById = preparedRead((db) => {
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
      servers: sql<number>`(${serverCount})::int`,
      customBots: sql<number>`(${botCount})::int`,
    })
    .from(users)
    .where(eq(users.id, userId));
});

export const findAccount = async (db: Database, userId: string) => {
  const [account] = await accountById(db, { userId });
  return account;
};
