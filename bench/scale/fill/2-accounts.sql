-- fill accounts
insert into accounts (id, platform_id, username, display_name, email, plan, hash_key, mfa_enabled, created_at, updated_at)
select id, (100000000000000000 + no * 7919::bigint)::text, 'owner-' || no, 'Owner ' || no, 'owner-' || no || '@example.org',
  case when no = 1 then 'ENTERPRISE' else (array['FREE', 'FREE', 'FREE', 'PREMIUM', 'BUSINESS'])[1 + no % 5] end,
  's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 64), no % 5 = 0, created_at, created_at
from scale.accounts;

-- fill bots
insert into bots (id, account_id, client_id, name, public_key, redirect_uri, bot_token, client_secret, seal_key_id,
  checked_at, created_at, updated_at, connected_at)
select id, account_id, (200000000000000000 + no * 104729::bigint)::text, 'Gatekeeper ' || no, repeat('0', 64),
  'http://localhost/verify/callback', 's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 118),
  's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 64), 'k1', now() - random() * interval '20 hours', created_at, created_at,
  now() - random() * interval '10 days'
from scale.bots;

-- fill servers
insert into servers (id, account_id, custom_bot_id, platform_guild_id, name, member_count, verified_role_id,
  log_channel_id, firewall_enabled, anti_nuke_enabled, backup_schedule, last_scheduled_at, refreshed_at, created_at, updated_at,
  health, last_good_backup_id)
select servers.id, servers.account_id, bots.id, (300000000000000000 + servers.no * 15485863::bigint)::text,
  'Harbour ' || servers.no, slots * 20, case when servers.no % 2 = 0 then '41' end, '42', servers.no % 3 = 0,
  servers.no % 3 = 0,
  -- Few are due at any moment, as where a job looks every minute.
  case when servers.no % 10 >= 7 then null when servers.no % 100 = 1 then '{"everyHours": 24}'::jsonb
    else '{"everyHours": 168}' end,
  newest.at, now() - random() * interval '20 hours', servers.created_at, servers.created_at, 'GOOD',
  newest.id
from scale.servers as servers
join scale.backups as newest on newest.no = :backups - :servers + servers.no
join scale.bots as bots on bots.account_no = servers.account_no
  and bots.nth = case when servers.account_no = 1 then servers.no % 3 else 0 end;

-- fill api_keys
insert into api_keys (id, account_id, name, scopes, hash, last_four, last_used_at, created_at, revoked_at)
select uuidv7(created_at - now()), id, 'key ' || nth, '{*}', encode(sha256((id::text || nth)::bytea), 'hex'), '0000',
  now() - random() * interval '30 days', created_at + nth * interval '1 second', case when nth = 4 then now() end
from scale.accounts cross join generate_series(1, 4) as nth;

-- fill sessions
insert into sessions (id, token_hash, platform_id, username, expires_at)
select uuidv7(), encode(sha256(('session' || no || nth)::bytea), 'hex'), (100000000000000000 + no * 7919::bigint)::text,
  'owner-' || no, now() + (nth - 0.02) * interval '7 days'
from scale.accounts cross join generate_series(0, 3) as nth;

-- fill second_factors
insert into second_factors (account_id, secret, enabled_at)
select id, 's1.k1.AAAAAAAAAAAAAAAA.' || repeat('A', 48), created_at from scale.accounts where no % 5 = 0;

-- fill recovery_codes
insert into recovery_codes (account_id, hash)
select id, encode(sha256((no || '-' || nth)::bytea), 'hex')
from scale.accounts cross join generate_series(1, 10) as nth where no % 5 = 0;

-- fill storage_used
insert into storage_used (account_id, bytes) select id, 100000000 + no from scale.accounts;

-- fill alert_settings
insert into alert_settings (account_id, settings) select id, '{}' from scale.accounts where no % 2 = 0;

-- fill audit_entries
-- A tenth of the members, and of those one in twenty belongs to the first account. The hashes are no chain.
insert into audit_entries (account_id, seq, id, at, actor_type, actor_id, action, subject_type, subject_id, changes,
  prev_hash, hash)
select account_id, seq, uuidv7(at - now()), at, 'KEY', account_id::text,
  (array['backup.complete', 'backup.create', 'server.update', 'pull.create', 'firewallRule.create'])[1 + seq % 5],
  'server', account_id::text, '{"name": {"from": "Harbour", "to": "Haven"}}',
  repeat('0', 64), lpad(to_hex(seq), 64, '0')
from (
  select id as account_id, seq, created_at + (now() - created_at) * seq / entries as at
  from (
    select *, greatest(20, case when no = 1 then :members / 200 else :members * 19 / 200 / :accounts end) as entries
    from scale.accounts
  ) as sized cross join lateral generate_series(1, entries) as seq
) as entry;

-- fill audit_heads
insert into audit_heads (account_id, seq, hash)
select account_id, max(seq), lpad(to_hex(max(seq)), 64, '0') from audit_entries group by account_id;

-- fill blacklist
insert into blacklist (id, account_id, platform_id, reason, created_at)
select uuidv7(at - now()), id, (400000000000000000 + nth * 31::bigint)::text, 'Spam', at
from (
  select id, nth, created_at + (now() - created_at) * nth / entries as at
  from (select *, greatest(5, case when no = 1 then :members / 1000 else 40 end) as entries from scale.accounts) as sized
  cross join lateral generate_series(1, entries) as nth
) as entry;

-- fill alerts
-- Ninety days are kept.
insert into alerts (id, account_id, server_id, kind, facts, is_listed, is_mail_waiting, is_post_waiting, read_at, created_at)
select uuidv7(at - now()), account_id, server_id,
  (array['BACKUP_FAILED', 'TOKENS_FALLING', 'APPEAL_OPENED', 'BACKUP_UNPROVED'])[1 + nth % 4],
  (array['{"backupId": "00000000-0000-7000-8000-000000000000", "error": "The platform did not answer"}',
    '{"revoked": 12, "total": 240}', '{}', '{"backupId": "00000000-0000-7000-8000-000000000000"}'])[1 + nth % 4]::jsonb,
  true, false, false, case when nth % 5 > 0 then at end, at
from (
  select id as server_id, account_id, nth, now() - (nth + no / :servers::float8) * interval '4.5 days' as at
  from scale.servers cross join generate_series(0, 19) as nth
) as alert;

-- fill alert_messages
insert into alert_messages (id, account_id, server_id, kind, way, alert_id, alert_count, tried_at, sent_at, created_at)
select uuidv7(created_at - now()), account_id, server_id, kind, 'email', id, 1, created_at, created_at, created_at
from alerts where created_at < now() - interval '1 day' and extract(minute from created_at) < 12;
