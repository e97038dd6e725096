import type { ConstructorOptions } from 'pg-boss';
import { parseDatabaseUrl } from '../db/database-url.ts';

/** The queue's statements take milliseconds; its maintenance may take seconds. */
export const queryTimeoutMs = 15_000;

/**
 * How the queue's own driver connects. A statement that is not answered in time fails, and the pool
 * throws its connection away; idle connections go after ten seconds, which is the pool's default. So a
 * connection that fell silent is replaced soon after it is used next.
 */
export const bossConnection = async (
  url: string,
  { timeoutMs = queryTimeoutMs, name = 'holdfast-jobs' } = {},
): Promise<ConstructorOptions> => {
  const connection = {
    ...(await parseDatabaseUrl(url).pg()),
    application_name: name,
    // A machine that is short of breath, as after a restart of everything, shall not fail its start.
    connectionTimeoutMillis: 15_000,
    // Options of the driver that pg-boss passes on without naming them.
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  return connection;
};
