-- fill incidents
insert into incidents (id, account_id, server_id, guild_id, kind, status, trigger, first_act_at, detected_at, contained_at,
  created_at, ended_at)
select scale.id_at(10, no, at), account_id, server_id, '1', case when nth % 2 = 0 then 'RAID' else 'NUKE' end, 'repaired',
  '{"kind": "channelDeletes", "executorId": "2"}', at, at, at, at, at
from scale.backups where (server_no % 10 = 1 and nth < 2) or server_no = 1;

-- fill incident_executors
insert into incident_executors (incident_id, platform_id, username, is_bot, status, created_at)
select id, '2', 'stowaway', false, 'stopped', created_at from incidents;

-- fill incident_steps
insert into incident_steps (incident_id, seq, kind, status, at, ended_at)
select id, seq, 'STOP_EXECUTOR', 'done', created_at, created_at from incidents cross join generate_series(1, 5) as seq;

-- fill guild_acts
-- Those of an incident are kept, changes of power for a month, the others for two hours.
insert into guild_acts (server_id, account_id, guild_id, entry_id, executor_id, kind, action, target_id, at, incident_id)
select server_id, account_id, '1', id::text || nth, '2', 'channelDeletes', 'channelDeleted', nth::text,
  created_at + nth * interval '1 second', id
from incidents cross join generate_series(1, 50) as nth
union all
select id, account_id, '1', id::text || 'n' || nth, '3', 'other', 'channelUpdated', nth::text,
  now() - nth * interval '7 minutes', null
from scale.servers cross join generate_series(1, 18) as nth where no % 3 = 0
union all
select id, account_id, '1', id::text || 'p' || nth, '3', 'dangerousGrants', 'rolesUpdated', nth::text,
  now() - nth * interval '3 days', null
from scale.servers cross join generate_series(1, 10) as nth where no % 3 = 0;

-- fill guild_moves
-- Those since the last good backup are kept.
insert into guild_moves (server_id, account_id, type, thing_id, position, at)
select id, account_id, 'channel', nth::text, nth, now() - nth * interval '7 hours'
from scale.servers cross join generate_series(1, 10) as nth where no % 3 = 0;

-- fill raid_waves
insert into raid_waves (incident_id, account_id, server_id, guild_id, min_account_age_days, started_at, last_join_at, joins,
  newcomers, over_at)
select id, account_id, server_id, '1', 3, created_at, created_at, 50, 50, created_at from incidents where kind = 'RAID';

-- fill raid_newcomers
insert into raid_newcomers (server_id, platform_id, account_id, incident_id, username, joined_at, is_young, has_picture,
  name_key, score, status)
select server_id, right(incident_id::text, 12) || nth, account_id, incident_id, 'raider', started_at, true, false, 'raider', 70,
  'removed'
from raid_waves cross join generate_series(1, 50) as nth
union all
select id, (700000000000000000 + nth)::text, account_id, null, 'newcomer', now() - nth * interval '11 minutes', false, true,
  'newcomer', 10, 'seen'
from scale.servers cross join generate_series(1, 10) as nth where no % 3 = 0;

-- fill protection_settings
insert into protection_settings (server_id, account_id) select id, account_id from scale.servers where no % 3 = 0;

-- fill armed_executors
insert into armed_executors (server_id, account_id, platform_id, username, is_bot, roles_before, roles_to_take, armed_at)
select id, account_id, '2', 'mate', false, '[]', '[]', now() - (no % 65) * interval '1 minute' from scale.servers
where no % 30 = 0;

-- fill watched_guilds
insert into watched_guilds (server_id, account_id, guild_id, owner_id, roles)
select id, account_id, (300000000000000000 + no * 15485863::bigint)::text, '1', '{"1": "8", "2": "1024"}'
from scale.servers where no % 3 = 0;

-- fill live_guilds
insert into live_guilds (server_id, account_id, guild_id, is_in_guild, channel_ids, role_ids, managed_role_ids, seen_at, changed_at)
select id, account_id, (300000000000000000 + no * 15485863::bigint)::text, true,
  '["1098765432109876501", "1098765432109876502", "1098765432109876503"]',
  '["1098765432109876504", "1098765432109876505"]', '[]', now(), now() from scale.servers;

-- fill token_health
insert into token_health (server_id, account_id, is_low, checked_at)
select id, account_id, false, now() - random() * interval '20 minutes' from scale.servers;

-- fill roll_calls
insert into roll_calls (server_id, account_id, bot_id, guild_id, number, wanted_at, ended_number, completed_since)
select id, account_id, custom_bot_id, platform_guild_id, 3, now() - interval '2 days', 3, now() - interval '2 days' from servers;

-- fill raised_checks
insert into raised_checks (server_id, account_id, captcha_type, min_account_age_days, until)
select id, account_id, 'POW', 3, now() + (no % 60) * interval '1 minute' from scale.servers where no % 200 = 0;

-- fill panels
insert into panels (id, account_id, server_id, channel_id, title, text, color, button_text, status, message_id,
  message_channel_id, post_id, is_due)
select uuidv7(created_at - now()), account_id, id, '1', 'Welcome', 'Please verify.', 0, 'Verify', 'POSTED', '1', '1', uuidv7(), false
from scale.servers where no % 2 = 0;

-- fill verify_pages
insert into verify_pages (server_id, account_id, title) select id, account_id, 'Welcome' from scale.servers where no % 5 = 0;

-- fill uploads
insert into uploads (id, account_id, token, hash, width, height, bytes, stored_at)
select scale.id_at(11, no, created_at), account_id, 'upload' || no, lpad(to_hex(no), 64, '0'), 64, 64, 4000, created_at
from scale.servers where no % 5 = 0;

-- fill upload_uses
insert into upload_uses (account_id, holder_id, field, upload_id)
select account_id, id, 'logo', scale.id_at(11, no, created_at) from scale.servers where no % 5 = 0;

-- fill gateway_processes
insert into gateway_processes (id, name, until)
select ('00000000-0000-7000-8000-00000000000' || nth)::uuid, 'gateway ' || nth, now() + interval '1 year'
from generate_series(1, 4) as nth;

-- fill gateway_connections
insert into gateway_connections (bot_id, account_id, process_id, session_id, resume_url, sequence)
select id, account_id, ('00000000-0000-7000-8000-00000000000' || 1 + no % 4)::uuid, 'session', 'ws://localhost', 1000
from scale.bots;

-- fill gateway_identifies
insert into gateway_identifies (id, application_id, identified_at)
select uuidv7(), (200000000000000000 + no * 104729::bigint)::text, now() - random() * interval '24 hours' from scale.bots;
