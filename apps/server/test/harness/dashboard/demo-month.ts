import type { LocalService } from '../local-service.ts';
import { connectSql } from '../running-service.ts';

/**
 * A month of attempts to verify, so that the pages agree with each other: everybody in the list of members
 * came by one, whoever appeals was blocked, and some were blocked or gave up.
 */
export const storeDemoMonth = async (
  { databaseUrl }: LocalService,
  serverId: string,
): Promise<void> => {
  const sql = connectSql(databaseUrl);
  await sql`update members set country = placed.country, verified_at = placed.at from (
      select id, now() - row_number() over (order by verified_at desc) * interval '17 hours' as at,
        (array['DE', 'DE', 'US', 'GB', 'US', 'NL', 'DE'])[1 + row_number() over (order by id) % 7] as country
      from members where server_id = ${serverId}
    ) as placed where members.id = placed.id`;
  await sql`insert into verification_attempts
      (id, account_id, server_id, platform_id, started_at, stage, country)
    select gen_random_uuid(), account_id, server_id, platform_id,
      verified_at - interval '40 seconds', 'verified', country
    from members where server_id = ${serverId}`;
  await sql`insert into verification_attempts
      (id, account_id, server_id, platform_id, started_at, stage, block_reason, country)
    select gen_random_uuid(), account_id, server_id, platform_id, created_at - interval '2 minutes',
      'captchaPassed', reason, 'FR'
    from appeals where server_id = ${serverId}`;
  await sql`insert into verification_attempts
      (id, account_id, server_id, started_at, stage, block_reason, country)
    select gen_random_uuid(), account_id, id, now() - nth * interval '41 hours',
      case when nth % 3 = 0 then 'visited' else 'captchaPassed' end,
      case nth % 3 when 1 then 'VPN' when 2 then 'ACCOUNT_AGE' end,
      case when nth % 3 > 0 then 'FR' end
    from servers, generate_series(1, 17) as nth where id = ${serverId}`;
  // Where a roll-up has passed these hours already, it counts them now.
  await sql`update rollup_marks set until = 'epoch' where name = 'attempts'`;
};
