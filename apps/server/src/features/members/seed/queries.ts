import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import { memberCounts, members } from '../table.ts';
import { oldestVerificationDays, type SeedPerson } from './people.ts';

/** Of any account, with the bot that its members give their tokens to. */
export const findServerToSeed = async (db: Queryable, serverId: string) => {
  const [server] = await db
    .select({
      id: servers.id,
      accountId: servers.accountId,
      botId: bots.id,
      clientId: bots.clientId,
    })
    .from(servers)
    .innerJoin(bots, and(eq(bots.id, servers.customBotId), eq(bots.accountId, servers.accountId)))
    .where(and(eq(servers.id, serverId), isNull(servers.deletedAt)));
  return server;
};

const nameParts = {
  first: 'amber brisk coral dusky early fable gentle hazel ivory jolly'.split(' '),
  second: 'otter heron maple comet badger willow falcon pebble lynx'.split(' '),
};

const randomOf = (words: string[]) =>
  sql`(array[${sql.join(
    words.map((word) => sql`${word}`),
    sql`, `,
  )}]::text[])[1 + floor(random() * ${words.length})::int]`;

/** `botId`: the bot that holds the tokens of those who consent; null if there are no tokens. */
type SeededServer = { id: string; accountId: string; botId: string | null };

/** Some of `count` members. Who they are is given; the database generates the rest. */
export const insertSeedMembers = async (
  db: Queryable,
  server: SeededServer,
  { people, count }: { people: SeedPerson[]; count: number },
): Promise<void> => {
  await db.execute(sql`
    insert into ${members} (id, account_id, server_id, platform_id, username, display_name, search_text,
      country, asn, bot_id, token_status, consented_at, account_created_at, verified_at)
    select gen_random_uuid(), ${server.accountId}, ${server.id}, "platformId",
      username, initcap(username), username || E'\n' || lower(initcap(username)),
      (array['DE', 'US', 'BR', 'JP', 'IN', 'FR'])[1 + i % 6], 64500 + i % 40,
      case when consents then ${server.botId}::uuid end,
      case when consents then 'VALID' else 'NONE' end, case when consents then verified end,
      "createdAt", verified
    from (
      select i, "platformId", "createdAt", consents,
        ${randomOf(nameParts.first)} || '-' || ${randomOf(nameParts.second)} || '-' || i as username,
        now() - (i::float8 / ${count}) * make_interval(days => ${oldestVerificationDays}) as verified
      -- As text: a parameter of type json would be encoded twice.
      from json_to_recordset(${JSON.stringify(people)}::text::json)
        as given (i bigint, "platformId" text, "createdAt" timestamptz, consents boolean)
    ) as person`);
};

/** Who was seeded, those who verified last first. */
export const listSeedMembers = (
  db: Queryable,
  { accountId, serverId }: { accountId: string; serverId: string },
) => {
  const { platformId, username, displayName, verifiedAt } = members;
  return db
    .select({ platformId, username, displayName, at: verifiedAt })
    .from(members)
    .where(and(eq(members.serverId, serverId), eq(members.accountId, accountId)))
    .orderBy(desc(verifiedAt));
};

/** After so many new rows the planner needs new statistics. */
export const refreshMemberStatistics = async (db: Queryable): Promise<void> => {
  await db.execute(sql`vacuum (analyze) ${members}`);
  await db.execute(sql`vacuum (analyze) ${memberCounts}`);
};
