import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 12 });

type Key = { id: string; account_id: string; plan: string; scopes: string[] };

export const findKey = async (hash: string): Promise<Key | undefined> => {
  const { rows } = await pool.query<Key>({
    name: 'key',
    text: `select k.id, k.account_id, a.plan, k.scopes
      from api_keys k join accounts a on a.id = k.account_id
      where k.hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
    values: [hash],
  });
  return rows[0];
};

export const findAccount = async (accountId: string) => {
  const { rows } = await pool.query({
    name: 'account',
    text: `select a.id, a.platform_id as "platformId", a.username,
        coalesce(a.display_name, a.username) as "displayName", a.avatar_url as avatar, a.plan,
        a.mfa_enabled as "mfaEnabled", a.created_at as "createdAt",
        (select count(*)::int from servers where account_id = a.id and deleted_at is null) as servers,
        (select count(*)::int from bots where account_id = a.id) as bots,
        s.plan as "paidPlan", s.status, s.current_period_end as "currentPeriodEnd",
        s.is_trial as "isTrial", s.trial_ends_at as "trialEndsAt", s.cancelled_at as "cancelledAt"
      from accounts a
      left join lateral (
        select * from subscriptions where account_id = a.id order by created_at desc limit 1
      ) s on true
      where a.id = $1`,
    values: [accountId],
  });
  return rows[0];
};

export const listServers = async (accountId: string, limit: number, offset: number) => {
  const [list, count] = await Promise.all([
    pool.query({
      name: 'servers',
      text: `select s.id, s.platform_guild_id as "platformGuildId", s.name, s.icon_url as icon,
          s.member_count as "memberCount", s.verified_role_id as "verifiedRoleId",
          s.log_channel_id as "logChannelId", s.captcha_type as "captchaType",
          s.vpn_block_enabled as "vpnBlockEnabled", s.alt_detect_enabled as "altDetectEnabled",
          s.firewall_enabled as "firewallEnabled", s.anti_nuke_enabled as "antiNukeEnabled",
          s.anti_raid_enabled as "antiRaidEnabled", s.health, s.health_reasons as "healthReasons",
          s.last_good_backup_id as "lastGoodBackupId", s.created_at as "createdAt",
          s.updated_at as "updatedAt",
          coalesce(b.is_active and b.connected_at is not null, false) as "isConnected"
        from servers s left join bots b on b.id = s.custom_bot_id
        where s.account_id = $1 and s.deleted_at is null
        order by s.created_at desc, s.id desc limit $2 offset $3`,
      values: [accountId, limit, offset],
    }),
    pool.query({
      name: 'count',
      text: 'select count(*)::int as total from servers where account_id = $1 and deleted_at is null',
      values: [accountId],
    }),
  ]);
  return { rows: list.rows, total: Number(count.rows[0].total) };
};
