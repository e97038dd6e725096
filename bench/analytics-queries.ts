import type { SQL } from 'bun';

type Server = { id: string; userId: string };

const countries = 60;
const attemptsAtATime = 500_000;

/** `count` attempts over the past year, up to now, by chance; most of them come from few countries. */
export const insertAttempts = async (sql: SQL, server: Server, count: number): Promise<void> => {
  for (let first = 1; first <= count; first += attemptsAtATime) {
    const last = Math.min(count, first + attemptsAtATime - 1);
    await sql`
      insert into verification_attempts (id, user_id, server_id, started_at, stage, block_reason,
        country, asn)
      select uuidv7(), ${server.userId}, ${server.id},
        least(now(), now() - (1 - (i + jitter) / ${count}) * interval '365 days'),
        (array['visited', 'authorized', 'captchaPassed', 'checksPassed', 'verified'])[1 + i % 5],
        case when i % 5 = 2 then
          (array['BLACKLIST', 'FIREWALL', 'VPN', 'ALT', 'ACCOUNT_AGE'])[1 + i / 5 % 5] end,
        'C' || chr(65 + place / 26) || chr(65 + place % 26), 64500 + i % 40
      from (
        select i, (random() - 0.5) * 20 as jitter, floor(${countries}::int * power(random(), 3))::int as place
        from generate_series(${first}::int, ${last}::int) as i
      ) as drawn`;
  }
};

/** The running service may have counted up to now, before there was anything to count. */
export const forgetCounts = (sql: SQL) =>
  sql`truncate attempt_hours, attempt_country_hours, attempt_countries, rollup_marks`.simple();

/** So that the database plans with what it holds now, as it would some minutes later by itself. */
export const refreshStatistics = async (sql: SQL): Promise<void> => {
  await sql`vacuum (analyze) verification_attempts`.simple();
  await sql`vacuum (analyze) attempt_hours`.simple();
  await sql`vacuum (analyze) attempt_country_hours`.simple();
  await sql`vacuum (analyze) attempt_countries`.simple();
};
