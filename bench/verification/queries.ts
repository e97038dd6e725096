import type { SQL } from 'bun';

type Server = { id: string; accountId: string };

/**
 * The visit counter takes thirty newcomers a minute from one address, and all of these come from one:
 * the others get the attempt that they would have had.
 */
export const countVisits = async (sql: SQL, { id, accountId }: Server): Promise<void> => {
  await sql`
    insert into verification_attempts (id, account_id, server_id)
    select attempt_id, ${accountId}, server_id from verification_authorizations
    where server_id = ${id} and used_at is null
    on conflict do nothing`;
};

/** Those who came back from the platform, and whose attempt says so. */
export const countArrived = async (sql: SQL, serverId: string): Promise<number> => {
  const [row] = await sql`
    select count(*)::int as arrived from pending_verifications
    join verification_attempts on verification_attempts.id = attempt_id and stage = 'authorized'
    where pending_verifications.server_id = ${serverId}`;
  return row.arrived;
};

/** So that no round reads more than the one before, and nothing is left to do for the jobs. */
export const forgetNewcomers = async (sql: SQL, serverId: string): Promise<void> => {
  await sql`delete from pending_verifications where server_id = ${serverId}`;
  await sql`delete from verification_authorizations where server_id = ${serverId}`;
  await sql`delete from verification_attempts where server_id = ${serverId}`;
};

/** From now on the database writes every statement into its log, with who sent it. */
export const beginLogging = async (sql: SQL): Promise<void> => {
  await sql`alter system set log_line_prefix to '%p %a '`.simple();
  await sql`alter system set log_statement to 'all'`.simple();
  await sql`select pg_reload_conf()`;
};

export const findDataFolder = async (sql: SQL): Promise<string> => {
  const [row] = await sql`select current_setting('data_directory') as folder`;
  return row.folder;
};

export const endLogging = async (sql: SQL): Promise<void> => {
  await sql`alter system reset log_statement`.simple();
  await sql`alter system reset log_line_prefix`.simple();
  await sql`select pg_reload_conf()`;
};

// What the reference asks: the service's own five statements, so that only the rest differs.

export const claimAuthorization = async (sql: SQL, stateHash: string) => {
  const [claimed] = await sql`
    update verification_authorizations set used_at = now()
    where state_hash = ${stateHash} and used_at is null and expires_at > now()
    returning state_hash, browser_hash, server_id, bot_id, attempt_id, code_verifier, redirect_uri,
      scopes, used_at, expires_at`;
  return claimed;
};

export const findVerificationServer = async (sql: SQL, serverId: string) => {
  const [server] = await sql`
    select servers.id, servers.account_id, servers.name, servers.icon_url, captcha_type,
      vpn_block_enabled, alt_detect_enabled, firewall_enabled, min_account_age_days, accounts.plan,
      bots.id as bot_id, bots.client_id, bots.redirect_uri, bots.is_active
    from servers
    join accounts on accounts.id = servers.account_id
    join bots on bots.id = servers.custom_bot_id
    where servers.id = ${serverId} and servers.deleted_at is null`;
  return server;
};

export const findClient = async (sql: SQL, botId: string, accountId: string) => {
  const [client] = await sql`
    select id, account_id, client_id, client_secret from bots
    where id = ${botId} and account_id = ${accountId}`;
  return client;
};

type Passage = Record<
  'browserHash' | 'accountId' | 'serverId' | 'botId' | 'attemptId' | 'platformId' | 'username',
  string
> & { accessToken: string; refreshToken: string; scopes: string[]; avatarHash: string | null };

export const insertPassage = async (tx: SQL, passage: Passage): Promise<void> => {
  const { browserHash, accountId, serverId, botId, attemptId, platformId, username } = passage;
  const { accessToken, refreshToken, scopes, avatarHash } = passage;
  const metRules = { isUnknown: true, whitelist: false, firewall: false };
  await tx`
    insert into pending_verifications (id, browser_hash, account_id, server_id, bot_id, attempt_id,
      platform_id, username, display_name, avatar_hash, wants_recovery, met_rules, access_token,
      refresh_token, seal_key_id, scopes, token_expires_at, expires_at)
    values (${Bun.randomUUIDv7()}, ${browserHash}, ${accountId}, ${serverId}, ${botId}, ${attemptId},
      ${platformId}, ${username}, ${username}, ${avatarHash}, false, ${metRules}, ${accessToken},
      ${refreshToken}, 'none', ${scopes}, now() + interval '7 days', now() + interval '30 minutes')`;
};

export const raiseAttempt = async (
  tx: SQL,
  { attemptId, serverId }: Pick<Passage, 'attemptId' | 'serverId'>,
): Promise<void> => {
  await tx`
    update verification_attempts set stage = 'authorized', block_reason = null
    where id = ${attemptId} and server_id = ${serverId} and stage in ('visited')`;
};
