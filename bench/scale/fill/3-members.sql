-- fill members
-- In the order in which they were verified, over three years, as the service adds them: neighbours in the table belong to
-- different servers. Three in ten gave a token. The last tenth are people who are in another server already.
insert into members (id, account_id, server_id, platform_id, username, display_name, search_text, country, region, asn,
  fingerprint, is_vpn, bot_id, token_status, consented_at, blacklisted, account_created_at, verified_at)
select uuidv7(verified - now()), account_id, server_id,
  ((since << 22) + (person & 4194303))::text, name, initcap(name), name || E'\n' || name,
  (array['DE', 'US', 'BR', 'JP', 'IN', 'FR', 'GB', 'PL'])[1 + (i % 8)], null, 64500 + i % 400,
  case when verified > now() - interval '90 days' then lpad(to_hex(person), 64, 'a') end, i % 50 = 0,
  case when gave then bot_id end,
  case when not gave then 'NONE' when i % 100 < 24 then 'VALID' when i % 100 < 27 then 'EXPIRED' else 'REVOKED' end,
  case when gave then verified end, i % 1000 = 0, to_timestamp((1420070400000 + since) / 1000.0), verified
from (
  select i, server_id, account_id, bot_id, person,
    10000000000 + (person * 2654435761 % :members) * (240000000000 / :members) as since,
    i % 100 < 30 as gave,
    now() - (:members - i)::float8 / :members * interval '1095 days' as verified,
    (array['amber', 'brisk', 'coral', 'dusky', 'early', 'fable', 'gentle', 'hazel', 'ivory', 'jolly', 'kindly', 'lunar',
      'mellow', 'nimble', 'olive', 'pepper', 'quiet', 'rusty', 'silver', 'tidal', 'umber', 'velvet', 'winter', 'xenon',
      'yellow', 'zephyr', 'misty', 'rapid', 'sandy', 'urban', 'wild'])[1 + (person * 7919 % 31)] || '-' ||
    (array['otter', 'heron', 'maple', 'comet', 'badger', 'willow', 'falcon', 'pebble', 'lynx', 'raven', 'tulip', 'quartz',
      'cinder', 'meadow', 'bishop', 'dragon', 'ember', 'frost', 'garnet', 'hollow', 'island', 'jungle', 'kestrel',
      'lagoon', 'marble', 'nectar', 'orchid', 'puffin', 'ridge'])[1 + (person * 104729 % 29)] || '-' || person as name
  from (
    select i, case when i > :members * 9 / 10 and i % 100 >= 30 then i - (:members * 9 / 10 / 2 * 2 - 1) else i end as person
    from generate_series(1::bigint, :members) as i
  ) as numbered
  join scale.slots on slot = (i * 7368787) % :slots
) as person;

-- fill member_counts
insert into member_counts (server_id, day, total, pullable)
select server_id, (verified_at at time zone 'UTC')::date, count(*), count(*) filter (where pullable)
from members group by 1, 2;

-- fill member_tokens
-- Due tokens are a few at any moment: a job looks every minute.
insert into member_tokens (id, account_id, bot_id, platform_id, access_token, refresh_token, seal_key_id, scopes, expires_at,
  refresh_at, created_at, updated_at)
select uuidv7(verified_at - now()), account_id, bot_id, platform_id, 's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 62),
  's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 62), 'k1', '["identify", "guilds.join"]', due + interval '2 days', due,
  verified_at, verified_at
from (
  select *, now() + (hashtext(platform_id) & 1048575) / 1048576.0 * interval '5 days' - interval '10 seconds' as due
  from members where token_status in ('VALID', 'EXPIRED')
) as given;

-- fill seen_members
insert into seen_members (member_id, account_id, server_id, guild_id, left_at, role_ids, nick, roles_seen_at, joined_at)
select id, account_id, server_id, '1', case when asn % 10 = 0 then now() - interval '2 days' end,
  '["41", "1098765432109876543"]', null, verified_at, verified_at
from members where token_status <> 'NONE';

-- fill role_assignments
insert into role_assignments (member_id, account_id, server_id, platform_id, status, updated_at)
select members.id, members.account_id, server_id, platform_id, 'done', verified_at
from members join scale.servers on servers.id = server_id where servers.no % 2 = 0;

-- fill identity_hashes
-- Ninety days are kept.
insert into identity_hashes (id, account_id, server_id, platform_id, kind, hash, expires_at)
select uuidv7(verified_at - now()), account_id, server_id, platform_id, kind,
  encode(sha256((platform_id || kind)::bytea), 'hex'), verified_at + interval '90 days'
from members cross join (values ('device'), ('address')) as kinds (kind)
where verified_at > now() - interval '90 days';

-- fill verification_attempts
-- Thirty days are kept; every other attempt ends with a member.
insert into verification_attempts (id, account_id, server_id, started_at, stage, block_reason, country, asn, platform_id)
select uuidv7(at - now()), account_id, server_id, at,
  case when nth = 0 then 'verified' when asn % 3 = 0 then 'captchaPassed' else 'visited' end,
  case when nth = 1 and asn % 3 = 0 then 'VPN' end, country, asn, case when nth = 0 then platform_id end
from (
  select *, verified_at - nth * interval '17 minutes' as at from members cross join generate_series(0, 1) as nth
  where verified_at > now() - interval '30 days'
) as attempt;

-- fill attempt_hours
insert into attempt_hours (server_id, hour, visited, authorized, captcha_passed, checks_passed, verified)
select server_id, date_trunc('hour', verified_at), 2 * count(*), count(*), count(*), count(*), count(*)
from members where verified_at between now() - interval '365 days' and now() - interval '2 hours' group by 1, 2;

-- fill attempt_country_hours
insert into attempt_country_hours (server_id, hour, country, attempts)
select server_id, date_trunc('hour', verified_at), country, 2 * count(*)
from members where verified_at between now() - interval '365 days' and now() - interval '2 hours' group by 1, 2, 3;

-- fill attempt_countries
insert into attempt_countries (server_id, day, country, attempts)
select server_id, hour::date, country, sum(attempts) from attempt_country_hours group by 1, 2, 3;

-- fill rollup_marks
insert into rollup_marks (name, until) values ('attempts', date_trunc('hour', now() - interval '2 hours'));

-- fill pending_verifications
insert into pending_verifications (id, browser_hash, account_id, server_id, bot_id, attempt_id, platform_id, username,
  wants_recovery, met_rules, scopes, token_expires_at, outcome, expires_at)
select uuidv7(verified_at - now()), lpad(to_hex(asn), 64, '0'), account_id, server_id, bot_id, uuidv7(), platform_id,
  username, true, '{"whitelist": false, "firewall": false}', '["identify"]', verified_at + interval '7 days', 'verified',
  verified_at + interval '1 day'
from members where verified_at > now() - interval '25 hours' and bot_id is not null;

-- fill verification_authorizations
insert into verification_authorizations (state_hash, browser_hash, server_id, bot_id, attempt_id, code_verifier,
  redirect_uri, scopes, expires_at)
select encode(sha256(id::text::bytea), 'hex'), lpad(to_hex(asn), 64, '0'), server_id, bot_id, uuidv7(), repeat('v', 43),
  'http://localhost/verify/callback', '["identify"]', verified_at + interval '3 hours'
from members where verified_at > now() - interval '4 hours' and bot_id is not null;

-- fill verification_used_solutions
insert into verification_used_solutions (hash, expires_at)
select encode(sha256(id::text::bytea), 'hex'), verified_at + interval '1 hour'
from members where verified_at > now() - interval '70 minutes';

-- fill appeals
insert into appeals (id, account_id, server_id, platform_id, username, reason, message, status, created_at, decided_at)
select uuidv7(at - now()), account_id, id, (500000000000000000 + nth)::text, 'deckhand', 'VPN', 'It is my school.',
  case when nth % 4 = 0 then 'OPEN' else 'REJECTED' end, at, case when nth % 4 > 0 then at end
from (
  select *, now() - nth * interval '20 days' / slots as at
  from scale.servers cross join lateral generate_series(1, least(slots, 400)) as nth where no % 4 = 0 or no = 1
) as appeal;

-- fill firewall_rules
insert into firewall_rules (id, account_id, server_id, type, value, created_at)
select uuidv7(created_at - now()), account_id, id, 'ASN', (64500 + nth)::text, created_at + nth * interval '1 minute'
from scale.servers cross join lateral generate_series(1, least(10 + slots / 4, 500)) as nth;

-- fill whitelist_rules
insert into whitelist_rules (id, account_id, server_id, type, value, created_at)
select uuidv7(created_at - now()), account_id, id, 'USER_ID', (600000000000000000 + nth)::text,
  created_at + nth * interval '1 minute'
from scale.servers cross join lateral generate_series(1, least(4 + slots / 20, 500)) as nth;
