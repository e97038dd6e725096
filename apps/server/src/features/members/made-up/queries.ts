import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../../db/connect.ts';
import { bots } from '../../bots/table.ts';
import { servers } from '../../servers/table.ts';
import { memberCounts, members } from '../table.ts';
import { type MadeUpPerson, oldestVerificationDays } from './draw-people.ts';

/** The server, whoever owns it, and the bot that its members give their tokens to. */
export const findServerToFill = async (db: Queryable, serverId: string) => {
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
  first: [
    'amber',
    'brisk',
    'coral',
    'dusky',
    'early',
    'fable',
    'gentle',
    'hazel',
    'ivory',
    'jolly',
  ],
  second: ['otter', 'heron', 'maple', 'comet', 'badger', 'willow', 'falcon', 'pebble', 'lynx'],
};

const part = (words: string[]) =>
  sql`(array[${sql.join(
    words.map((word) => sql`${word}`),
    sql`, `,
  )}]::text[])[1 + floor(random() * ${words.length})::int]`;

/** `botId`: the bot that holds the tokens of those who agree; null where nobody holds any. */
type Place = { id: string; accountId: string; botId: string | null };

/** People of a crowd of `count`: who they are is given, the rest is made up in the database. */
export const insertMadeUpMembers = async (
  db: Queryable,
  server: Place,
  { people, count }: { people: MadeUpPerson[]; count: number },
): Promise<void> => {
  await db.execute(sql`
    insert into ${members} (id, account_id, server_id, platform_id, username, display_name, search_text,
      country, asn, bot_id, token_status, consented_at, account_created_at, verified_at)
    select gen_random_uuid(), ${server.accountId}, ${server.id}, "platformId",
      username, initcap(username), username || E'\n' || lower(initcap(username)),
      (array['DE', 'US', 'BR', 'JP', 'IN', 'FR'])[1 + i % 6], 64500 + i % 40,
      case when agrees then ${server.botId}::uuid end,
      case when agrees then 'VALID' else 'NONE' end, case when agrees then verified end,
      "bornAt", verified
    from (
      select i, "platformId", "bornAt", agrees,
        ${part(nameParts.first)} || '-' || ${part(nameParts.second)} || '-' || i as username,
        now() - (i::float8 / ${count}) * make_interval(days => ${oldestVerificationDays}) as verified
      -- By way of text: a parameter of type json would be encoded a second time.
      from json_to_recordset(${JSON.stringify(people)}::text::json)
        as drawn (i bigint, "platformId" text, "bornAt" timestamptz, agrees boolean)
    ) as person`);
};

/** After a flood of rows the planner must not go by what it knew before. */
export const refreshMemberStatistics = async (db: Queryable): Promise<void> => {
  await db.execute(sql`vacuum (analyze) ${members}`);
  await db.execute(sql`vacuum (analyze) ${memberCounts}`);
};
