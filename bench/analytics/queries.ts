import type { SQL as Client } from 'bun';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../apps/server/src/db/connect.ts';

type Server = { id: string; accountId: string };
/** `count` attempts that began from one moment to another. */
type Stretch = { from: Date; to: Date; count: number };

const countries = 60;

/** By chance, evenly over the time; most of them come from few countries. */
const drawAttempts = ({ from, to, count }: Stretch) => sql`
  select ${from}::timestamptz + random() * (${to}::timestamptz - ${from}::timestamptz) as started_at,
    i % 5 as reached,
    case when i % 5 = 2 then i / 5 % 5 end as reason,
    'C' || chr(65 + place / 26) || chr(65 + place % 26) as country,
    64500 + i % 40 as asn
  from (
    select i, floor(${countries}::int * power(random(), 3))::int as place
    from generate_series(1, ${count}::int) as i
  ) as drawn`;

/** In the order in which they began, as they would have come. */
export const insertAttempts = async (
  tx: Transaction,
  server: Server,
  stretch: Stretch,
): Promise<void> => {
  await tx.execute(sql`
    insert into verification_attempts (id, account_id, server_id, started_at, stage, block_reason,
      country, asn)
    select uuidv7(), ${server.accountId}, ${server.id}, started_at,
      (array['visited', 'authorized', 'captchaPassed', 'checksPassed', 'verified'])[1 + reached],
      (array['BLACKLIST', 'FIREWALL', 'VPN', 'ALT', 'ACCOUNT_AGE'])[1 + reason],
      country, asn
    from (${drawAttempts(stretch)}) as attempts order by started_at`);
};

/** Drawn in the same way, but only their counts are kept: they are older than attempts are kept. */
export const insertCounts = async (
  tx: Transaction,
  { id }: Server,
  stretch: Stretch,
): Promise<void> => {
  await tx.execute(sql`
    with counted as materialized (
      select date_trunc('hour', started_at, 'UTC') as hour, country, count(*) as visited,
        count(*) filter (where reached >= 1) as authorized,
        count(*) filter (where reached >= 2) as captcha_passed,
        count(*) filter (where reached >= 3) as checks_passed,
        count(*) filter (where reached >= 4) as verified,
        count(*) filter (where reason = 0) as by_blacklist,
        count(*) filter (where reason = 1) as by_firewall,
        count(*) filter (where reason = 2) as by_vpn,
        count(*) filter (where reason = 3) as by_alt,
        count(*) filter (where reason = 4) as by_account_age
      from (${drawAttempts(stretch)}) as attempts group by 1, 2
    ), hours as (
      insert into attempt_hours (server_id, hour, visited, authorized, captcha_passed,
        checks_passed, verified, blocked_by_blacklist, blocked_by_firewall, blocked_by_vpn,
        blocked_by_alt, blocked_by_account_age)
      select ${id}::uuid, hour, sum(visited), sum(authorized), sum(captcha_passed),
        sum(checks_passed), sum(verified), sum(by_blacklist), sum(by_firewall), sum(by_vpn),
        sum(by_alt), sum(by_account_age)
      from counted group by hour
    ), country_hours as (
      insert into attempt_country_hours (server_id, hour, country, attempts)
      select ${id}::uuid, hour, country, visited from counted
    )
    insert into attempt_countries (server_id, day, country, attempts)
    select ${id}::uuid, (hour at time zone 'UTC')::date as day, country, sum(visited)
    from counted group by day, country`);
};

/** Ten million rows are grouped in one go, which the usual few megabytes would send to the disk. */
export const allowMemory = async (tx: Transaction): Promise<void> => {
  await tx.execute(sql`set local work_mem to '512MB'`);
};

/** The running service may have counted up to now, before there was anything to count. */
export const deleteCounts = async (tx: Transaction): Promise<void> => {
  await tx.execute(sql`truncate attempt_hours, attempt_country_hours, attempt_countries`);
};

/** So that the database plans with what it holds now, as it would some minutes later by itself. */
export const refreshStatistics = async (client: Client): Promise<void> => {
  await client`vacuum (analyze) verification_attempts`.simple();
  await client`vacuum (analyze) attempt_hours`.simple();
  await client`vacuum (analyze) attempt_country_hours`.simple();
  await client`vacuum (analyze) attempt_countries`.simple();
};

/** What a server's figures are made of: attempts themselves, and counts of hours. */
export const countSeeded = async (client: Client, serverId: string) => {
  const [row] = await client`
    select (select count(*) from verification_attempts where server_id = ${serverId})::int as attempts,
      (select count(*) from attempt_hours where server_id = ${serverId})::int as hours,
      (select count(*) from attempt_countries where server_id = ${serverId})::int as countries`;
  return row;
};
