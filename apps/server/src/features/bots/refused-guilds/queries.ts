import { and, count, eq, gt, inArray, isNotNull, lt, min, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { firstRow } from '../../../db/queries/rows.ts';
import { refusedGuilds } from '../table.ts';

const { botId, guildId, accountId, kind, callerId, at } = refusedGuilds;

type OfBot = { accountId: string; botId: string };

const ofBot = (owner: OfBot) => and(eq(accountId, owner.accountId), eq(botId, owner.botId));

/** For so long the platform is not asked again. */
const isRemembered = gt(at, sql`now() - interval '2 minutes'`);
/** As long as the platform counts refusals. */
const countedFor = sql`interval '10 minutes'`;

export const findRefusedGuild = (db: Queryable, owner: OfBot, guild: string) =>
  firstRow(
    db
      .select({ kind })
      .from(refusedGuilds)
      .where(and(ofBot(owner), eq(guildId, guild), isRemembered)),
  );

type Refused = OfBot & {
  guildId: string;
  kind: typeof refusedGuilds.$inferSelect.kind;
  callerId: string | null;
};

/** Forgets those of the account that do not count any more. */
export const storeRefusedGuild = async (db: Queryable, refused: Refused): Promise<void> => {
  await db
    .delete(refusedGuilds)
    .where(and(eq(accountId, refused.accountId), lt(at, sql`now() - ${countedFor}`)));
  await db
    .insert(refusedGuilds)
    .values(refused)
    .onConflictDoUpdate({
      target: [botId, guildId],
      set: {
        ...{ kind: refused.kind, at: sql`now()` },
        callerId: sql`coalesce(excluded.caller_id, ${callerId})`,
      },
    });
};

export const forgetRefusedGuilds = async (
  db: Queryable,
  owner: OfBot,
  guildIds: string[],
): Promise<void> => {
  if (guildIds.length === 0) return;
  await db.delete(refusedGuilds).where(and(ofBot(owner), inArray(guildId, guildIds)));
};

/** Those that requests of the account named, those of one caller among them, and when they began. */
export const countRefusedGuilds = async (
  db: Queryable,
  named: { accountId: string; callerId: string },
) => {
  const [row] = await db
    .select({
      ofAccount: count(),
      ofCaller: sql<number>`(count(*) filter (where ${callerId} = ${named.callerId}))::int`,
      secondsLeft: sql<number>`ceil(extract(epoch from ${min(at)} + ${countedFor} - now()))::int`,
    })
    .from(refusedGuilds)
    .where(
      and(eq(accountId, named.accountId), isNotNull(callerId), gt(at, sql`now() - ${countedFor}`)),
    );
  return row ?? { ofAccount: 0, ofCaller: 0, secondsLeft: 0 };
};
