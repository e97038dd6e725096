-- What the others read: which servers there are, whose they are and how large. Not part of the service's schema.

-- fill scale.accounts
-- One account in 2,000 members. The first one is large, see below.
create table scale.accounts as
select no, uuidv7((no - :accounts - 1) * interval '1095 days' / :accounts) as id,
  now() - (:accounts + 1 - no) * interval '1095 days' / :accounts as created_at
from generate_series(1, :accounts) as no;

-- fill scale.servers
-- The first account has one server in 500 and one member in 20. Of the others few have many servers, and few servers
-- have many members: half of them have fewer than 200, the largest one member in 100.
-- A slot stands for 20 members.
create table scale.servers as
select servers.no, uuidv7((servers.no - :servers - 1) * interval '1000 days' / :servers) as id,
  now() - (:servers + 1 - servers.no) * interval '1000 days' / :servers as created_at,
  accounts.no as account_no, accounts.id as account_id, slots
from (
  select no,
    case when no <= :largeServers then 1
      else 2 + floor((:accounts - 1) * power((no - :largeServers - 1)::float8 / (:servers - :largeServers), 1.3))::int
    end as account_no,
    case when no <= :largeServers then greatest(1, round(:members / 400.0 / :largeServers))::int
      else 1 + floor(5.4 * power(((no * 48271::bigint) % :servers + 1)::float8 / :servers, -0.7))::int
    end as slots
  from generate_series(1, :servers) as no
) as servers
join scale.accounts as accounts on accounts.no = account_no
order by servers.no;
alter table scale.servers add primary key (no);
create index on scale.servers (account_no);

-- fill scale.bots
-- One bot in each account, three in the first.
create table scale.bots as
select row_number() over () as no, uuidv7(accounts.created_at - now()) as id, account_no, accounts.id as account_id,
  accounts.created_at, nth
from (
  select no as account_no, id, created_at from scale.accounts
) as accounts
cross join generate_series(0, 2) as nth
where nth = 0 or account_no = 1;

-- fill scale.slots
-- Servers of even and of odd numbers have slots of even and of odd numbers: whoever is in two servers is in two
-- different ones, see members.
create table scale.slots as
select 2 * (row_number() over (partition by servers.no % 2) - 1) + servers.no % 2 as slot,
  servers.id as server_id, servers.account_id, bots.id as bot_id
from scale.servers as servers
join scale.bots as bots on bots.account_no = servers.account_no
  and bots.nth = case when servers.account_no = 1 then servers.no % 3 else 0 end
cross join generate_series(1, servers.slots);
analyze scale.slots;

-- fill scale.backups
-- As many for each server, the newest last.
create table scale.backups as
select numbered.no, scale.id_at(1, numbered.no, at) as id, servers.no as server_no, servers.id as server_id,
  servers.account_id, (numbered.no - 1) / :servers as nth, at
from (
  select no, now() - (:backups - no) * interval '120 days' / :backups as at from generate_series(1, :backups) as no
) as numbered
join scale.servers as servers on servers.no = 1 + (numbered.no - 1) % :servers;
