-- An eighth of a day as the service lives it, by its own kinds of statements: rows are added, changed and deleted at the
-- rates of a service that has grown to its size in three years. `:tick` counts them.

-- Newcomers, and what is kept of them for a while.
insert into verification_attempts (id, account_id, server_id, started_at)
select uuidv7(), account_id, server_id, now()
from scale.slots where exists (select from servers where id = server_id) order by random() limit :newcomers * 2;
insert into members (id, account_id, server_id, platform_id, username, search_text, bot_id, token_status, consented_at)
select uuidv7(), account_id, server_id, 'n' || :mark || '-' || row_number() over (), 'newcomer', 'newcomer',
  case when nth < 0.3 then bot_id end, case when nth < 0.3 then 'VALID' else 'NONE' end,
  case when nth < 0.3 then now() end
from (
  select *, random() as nth from scale.slots
  where exists (select from servers where id = server_id) order by random() limit :newcomers
) as newcomer;
insert into member_tokens (id, account_id, bot_id, platform_id, access_token, refresh_token, seal_key_id, scopes, expires_at,
  refresh_at)
select uuidv7(), account_id, bot_id, platform_id, repeat('A', 86), repeat('A', 86), 'k1', '[]', now() + interval '7 days',
  now() + interval '5 days'
from members where platform_id like 'n' || :mark || '-%' and bot_id is not null;
insert into role_assignments (member_id, account_id, server_id, platform_id)
select id, account_id, server_id, platform_id from members where platform_id like 'n' || :mark || '-%';
update role_assignments set status = 'done', updated_at = now() where platform_id like 'n' || :mark || '-%';
insert into identity_hashes (id, account_id, server_id, platform_id, kind, hash, expires_at)
select uuidv7(), account_id, server_id, platform_id, kind, encode(sha256((platform_id || kind)::bytea), 'hex'),
  now() + interval '90 days'
from members, (values ('device'), ('address')) as kinds (kind) where platform_id like 'n' || :mark || '-%';
update verification_attempts set stage = 'authorized' where started_at > now() - interval '1 second';
update verification_attempts set stage = 'verified', country = 'DE' where started_at > now() - interval '1 second';
delete from verification_attempts where id in (select id from verification_attempts order by started_at limit :newcomers * 2);
delete from identity_hashes where id in (select id from identity_hashes order by expires_at limit :newcomers * 2);

-- Each token is refreshed after five days: claimed first, then replaced.
update member_tokens set refreshing_until = now() + interval '2 minutes', generation = generation + 1
where id in (select id from member_tokens order by refresh_at limit :tokens);
update member_tokens set refreshing_until = null, access_token = repeat('B', 86), refresh_token = repeat('B', 86),
  generation = generation + 1, refresh_at = now() + interval '5 days' + :tick * interval '1 second',
  expires_at = now() + interval '7 days', updated_at = now()
where refreshing_until is not null;

-- What members do in their guilds, and tokens that they withdraw.
update seen_members set roles_seen_at = now(), role_ids = '["41", "42"]'
where member_id in (select member_id from seen_members tablesample system (0.6));
update members set token_status = 'REVOKED'
where id in (select id from members tablesample system (0.02) where token_status = 'VALID');

-- Guilds are looked at, backups taken and let go.
update servers set refreshed_at = now(), member_count = member_count + 1
where id in (select id from servers order by refreshed_at limit :servers / 4);
update token_health set checked_at = now() where server_id in (select server_id from token_health tablesample system (20));
update live_guilds set seen_at = now(), changed_at = now()
where server_id in (select server_id from live_guilds tablesample system (30));
with backed_up as (
  insert into backups (id, account_id, server_id, name, kind, components, messages_per_channel)
  select uuidv7(), account_id, id, 'Scheduled', 'SCHEDULED', '["roles"]', 0 from servers order by random() limit :servers / 24
  returning server_id
)
update servers set last_scheduled_at = now() where id in (select server_id from backed_up);
update backups set status = 'running', started_at = now() where status = 'queued';
update backups set progress = 50 where status = 'running';
update backups set progress = 100, status = 'completed', completed_at = now(), proved_at = now(), verified_at = now()
where status = 'running';
update backups set verified_at = now()
where id in (select id from backups where status = 'completed' order by verified_at limit :servers * 40 / 56);
delete from backups where id in (select id from backups order by created_at limit :servers / 24);

-- Changes and what is remembered of them.
update audit_heads set seq = seq + 1 where account_id in (select account_id from audit_heads tablesample system (50));
insert into audit_entries (account_id, seq, id, at, actor_type, action, subject_type, changes, prev_hash, hash)
select account_id, seq, uuidv7(), now(), 'KEY', 'server.update', 'server', '{}', hash, hash from audit_heads
on conflict do nothing;
insert into idempotent_answers (caller_id, idempotency_key, request_hash, status, body)
select id, 'tick ' || :mark, repeat('0', 64), 201, '{}' from scale.accounts on conflict do nothing;
delete from idempotent_answers where created_at <= (select max(created_at) from idempotent_answers) - interval '20 seconds';

-- Every job is a row that is taken and ended, and deleted some days later.
insert into pgboss.job (name, data) select 'servers.refresh', '{}' from generate_series(1, :servers * 2);
update pgboss.job set state = 'active', started_on = now() where name = 'servers.refresh' and state = 'created';
update pgboss.job set state = 'completed', completed_on = now() where name = 'servers.refresh' and state = 'active';
delete from pgboss.job where name = 'servers.refresh' and state = 'completed'
  and id in (select id from pgboss.job where name = 'servers.refresh' order by created_on offset :servers * 56);
