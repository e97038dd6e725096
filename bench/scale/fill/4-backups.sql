-- fill backups
insert into backups (id, account_id, server_id, name, kind, status, progress, components, messages_per_channel, size_bytes,
  stored_bytes, checksum, restorable, proved_at, created_at, started_at, completed_at, verified_at, health, structure)
select id, account_id, server_id, 'Backup ' || nth,
  case when nth % 20 = 7 then 'PRE_RESTORE' when nth % 20 in (1, 2, 3) then 'MANUAL' else 'SCHEDULED' end,
  case when is_failed then 'failed' else 'completed' end, 100, '["settings", "roles", "channels", "memberRoles"]', 0, 40000,
  20000, lpad(to_hex(no), 64, '0'), not is_failed, at, at, at, at,
  case when not is_failed then now() - random() * interval '160 hours' end, 'GOOD',
  case when not is_failed then '{"channelIds": ["1098765432109876501", "1098765432109876502", "1098765432109876503"], '
    '"roleIds": ["1098765432109876504", "1098765432109876505"]}'::jsonb end
from (select *, at > now() - interval '7 days' and no % 30 = 0 as is_failed from scale.backups) as backup;

-- fill blobs
-- Each backup has an object of its own, and shares two with its neighbours in time.
insert into blobs (id, account_id, hash, size_bytes, stored_bytes, is_stored, seal_key_id, added_by, is_indexed)
select scale.id_at(2 + part, no, at), account_id, encode(sha256((no || '-' || part)::bytea), 'hex'), 12000, 6000, true, 'k1',
  id, true
from scale.backups cross join generate_series(0, 2) as part where part = 0 or nth % 4 = 0;

-- fill backup_blobs
insert into backup_blobs (backup_id, blob_id)
select mine.id, scale.id_at(2 + part, first.no, first.at)
from scale.backups as mine
cross join generate_series(0, 2) as part
join scale.backups as first on first.no = case when part = 0 then mine.no else mine.no - mine.nth % 4 * :servers end;

-- fill blob_people
insert into blob_people (blob_id, account_id, section, people)
select scale.id_at(3, no, at), account_id, 'memberRoles',
  array(select hashint8extended(server_no, person) from generate_series(1, 30) as person)
from scale.backups where nth % 4 = 0;

-- fill blob_holds
insert into blob_holds (holder_id, blob_id)
select scale.id_at(9, no, at), scale.id_at(2, no, at) from scale.backups where no % 200 = 0;

-- fill restores
insert into restores (id, account_id, server_id, backup_id, components, status, steps_total, steps_done, plan, created_at,
  started_at, completed_at)
select scale.id_at(5, no, at), account_id, server_id, id, '["roles", "channels"]', 'completed', 30, 30, '{}', at, at, at
from scale.backups where nth % 20 = 7;

-- fill restore_steps
insert into restore_steps (restore_id, seq, stage, after, action, type, name, effect, status, created_id)
select scale.id_at(5, no, at), seq, 'roles', '[]', '{"kind": "createRole"}', 'role', 'Crew ' || seq, 'create', 'done', seq::text
from scale.backups cross join generate_series(1, 10) as seq where nth % 20 = 7;

-- fill restored_ids
insert into restored_ids (account_id, sort, old_id, new_id, server_id, guild_id, restore_id, is_created, created_at)
select account_id, 'roles', (no * 100 + seq)::text, (no * 100 + seq + 7000000000)::text, server_id, '1',
  scale.id_at(5, no, at), true, at
from scale.backups cross join generate_series(1, 5) as seq where nth % 20 = 7;

-- fill restore_posts
insert into restore_posts (restore_id, place_id, channel_id, status, total, posted)
select scale.id_at(5, no, at), '1', '1', 'done', 100, 100 from scale.backups where nth % 40 = 7;

-- fill pulls
insert into pulls (id, account_id, server_id, target_server_id, status, total, processed, joined, created_at, selected_at,
  started_at, completed_at, saved_roles)
select scale.id_at(6, no, at), account_id, server_id, server_id, 'completed', 20, 20, 20, at, at, at, at, null
from scale.backups where nth % 20 = 9;

-- fill pull_members
-- Thirty days are kept.
insert into pull_members (pull_id, seq, member_id, is_foreign, attempts, result)
select scale.id_at(6, backups.no, at), row_number() over (partition by backups.no), chosen.id, false, 1, 'joined'
from scale.backups as backups
cross join lateral (
  select members.id from members where members.server_id = backups.server_id and pullable order by verified_at, id limit 20
) as chosen
where nth % 20 = 9 and (at > now() - interval '31 days' or (nth = 9 and server_no % 40 = 3));

-- fill pull_cooldowns
insert into pull_cooldowns (server_id, pull_id, started_at)
select server_id, scale.id_at(6, no, at), at from scale.backups where nth = 29;

-- fill mass_verifications
insert into mass_verifications (id, account_id, server_id, guild_id, bot_id, verified_role_id, status, created_at, completed_at)
select scale.id_at(7, no, at), account_id, server_id, '1', account_id, '41', 'completed', at, at
from scale.backups where nth = 11;

-- fill drills
insert into drills (id, account_id, server_id, status, is_scheduled, created_at, completed_at)
select scale.id_at(8, no, at), account_id, server_id, 'completed', true, at, at from scale.backups
where nth = 13 and server_no % 3 = 0;
