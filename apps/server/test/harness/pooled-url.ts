import { markTransactionPooled } from '../../src/db/database-url.ts';

/** The same database, by the pooler at that address. */
export const throughPooler = (url: string, address: string): string => {
  const pooled = new URL(url);
  pooled.host = address;
  return pooled.href;
};

/** How `run-all.ts --pooled` tells the test files that the services go through a pooler. */
const poolerVariables = {
  service: 'HOLDFAST_TEST_POOLER',
  /** A process checks that its statements end as soon as they should. */
  process: 'HOLDFAST_TEST_PROCESS_POOLER',
} as const;

type User = keyof typeof poolerVariables;

export const poolerEnvironment = (user: User, pooledUrl: string): Record<string, string> => ({
  [poolerVariables[user]]: new URL(pooledUrl).host,
});

const poolerOf = (user: User, url: string): string | undefined => {
  const { [poolerVariables[user]]: pooler, DATABASE_URL: server } = process.env;
  return pooler && server && new URL(server).host === new URL(url).host ? pooler : undefined;
};

/**
 * What a service of the tests connects to: the database itself, or, in a run over a pooler in transaction
 * mode, that. A test's own connections are always to the database itself.
 */
export const serviceUrl = (url: string): string => {
  const pooler = poolerOf('service', url);
  return pooler ? markTransactionPooled(throughPooler(url, pooler)) : url;
};

/** The same for a process, which finds out by itself what it is connected to. */
export const processEnvironment = <Env extends Record<string, string>>(env: Env): Env => {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: isSet } = env;
  const pooler = url && !isSet ? poolerOf('process', url) : undefined;
  if (!pooler || !url) return env;
  return { ...env, DATABASE_URL: throughPooler(url, pooler), DATABASE_DIRECT_URL: url };
};
