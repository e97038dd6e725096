import { chmod, mkdir } from 'node:fs/promises';
import { SQL } from 'bun';
import { startEmbeddedPostgres } from '../../apps/server/src/db/embedded/embedded.ts';
import { changeSettings } from './queries/settings.ts';

export type Cluster = { url: string; sql: SQL; stop(): Promise<void> };

/** For a load that is begun again after a crash: nothing has to survive one. */
export const loadSettings = (workers: number): Record<string, string> => ({
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  shared_buffers: '1GB',
  work_mem: '512MB',
  hash_mem_multiplier: '2',
  maintenance_work_mem: '1GB',
  autovacuum: 'off',
  jit: 'off',
  max_parallel_maintenance_workers: String(workers),
  max_parallel_workers_per_gather: String(workers),
});

/** What an operator of this size would give it; all else as it is shipped. */
export const serviceSettings: Record<string, string> = {
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  random_page_cost: '1.1',
};

/** The project's own PostgreSQL on a folder, with these settings and no others. */
export const openCluster = async (
  folder: string,
  settings: Record<string, string>,
): Promise<Cluster> => {
  await mkdir(folder, { recursive: true });
  // When root starts it, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const first = await startEmbeddedPostgres(folder);
  await withConnection(first.url, (sql) => changeSettings(sql, settings));
  await first.stop();
  const { url, stop } = await startEmbeddedPostgres(folder);
  const sql = new SQL(url, { max: 1, idleTimeout: 0 });
  const stopAll = async () => {
    await sql.close();
    await stop();
  };
  return { url, sql, stop: stopAll };
};

const withConnection = async (url: string, use: (sql: SQL) => Promise<void>): Promise<void> => {
  const sql = new SQL(url, { max: 1 });
  await use(sql).finally(() => sql.close());
};
