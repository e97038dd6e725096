import type { SQL } from 'bun';
import { z } from 'zod';

/** Every plan with its time goes to the log; timing each node would cost more than the statements. */
export const explainSettings: Record<string, string> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_directory: 'plans',
  log_filename: 'plans.log',
  log_file_mode: '0644',
};

const measuredServer = z.object({
  accountId: z.string(),
  platformId: z.string(),
  serverId: z.string(),
  incidentId: z.string(),
  botId: z.string(),
  backupId: z.string(),
  pullId: z.string(),
  restoreId: z.string(),
  memberId: z.string(),
});
export type MeasuredServer = z.output<typeof measuredServer>;

const readServer = async (sql: SQL, no: number): Promise<MeasuredServer> => {
  const [row] = await sql`
    select servers.id as "serverId", servers.account_id as "accountId", platform_id as "platformId",
      custom_bot_id as "botId",
      (select id from incidents where server_id = servers.id and kind = 'RAID' limit 1) as "incidentId",
      (select id from backups where server_id = servers.id and status = 'completed' limit 1) as "backupId",
      (select id from pulls where server_id = servers.id limit 1) as "pullId",
      (select id from restores where server_id = servers.id limit 1) as "restoreId",
      (select id from members where server_id = servers.id limit 1) as "memberId"
    from scale.servers as planned
    join servers on servers.id = planned.id
    join accounts on accounts.id = servers.account_id
    where planned.no = ${no}`;
  return measuredServer.parse(row);
};

/** A server of the large account, and one like most others; both accounts may use everything. */
export const findMeasuredServers = async (sql: SQL) => {
  const [{ no }] = await sql`
    select no from scale.servers where no % 30 = 21 and account_no > 1 order by abs(slots - 7), no limit 1`;
  const [large, usual] = [await readServer(sql, 1), await readServer(sql, no)];
  for (const { accountId } of [large, usual]) {
    await sql`update accounts set plan = 'ENTERPRISE' where id = ${accountId}`;
  }
  return { large, usual };
};

/** Tables of which a scan takes long at the larger of the sizes. */
export const listLargeTables = async (sql: SQL): Promise<string[]> => {
  const rows = await sql`
    select relname from pg_class where relkind = 'r' and reltuples > 40000 and relnamespace = 'public'::regnamespace`;
  return rows.map(({ relname }: { relname: string }) => relname);
};

export const writeMark = async (sql: SQL, mark: string): Promise<void> => {
  await sql.unsafe(`select '${mark}'`).simple();
};

/** A usual server that is not measured, so that it can be purged: a run takes one away, so there are others too. */
export const markOneDeleted = async (sql: SQL, measured: MeasuredServer[]): Promise<string> => {
  const kept = sql.array(
    measured.map(({ serverId }) => serverId),
    'UUID',
  );
  const [{ id }] = await sql`
    update servers set deleted_at = now() where id = (
      select planned.id from scale.servers as planned join servers on servers.id = planned.id
      where servers.id <> all(${kept}) and deleted_at is null
      order by planned.no % 30 <> 20, abs(slots - 10), planned.no limit 1
    ) returning id`;
  return id;
};
