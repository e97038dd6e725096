import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { eventually } from './eventually.ts';
import { throughPooler } from './pooled-url.ts';
import { freePort } from './service-process.ts';

export const pgbouncer = Bun.which('pgbouncer') ?? Bun.which('/usr/sbin/pgbouncer');

type PoolerOptions = {
  mode: 'session' | 'transaction';
  /** By default as the URL's. */
  user?: { name: string; password: string };
  /** Lines of its configuration beside the usual ones. */
  more?: string[];
  /** What each of its connections runs first. */
  connectQuery?: string;
};

export type Pooler = {
  /** The same database through it. */
  urlOf(url: string): string;
  stop(): Promise<void>;
};

/** A PgBouncer before the server of that URL, for all of its databases. */
export const startPooler = async (
  url: string,
  { mode, user, more = [], connectQuery }: PoolerOptions,
): Promise<Pooler> => {
  const { hostname, port, username, password } = new URL(url);
  const { name, password: secret } = user ?? { name: username, password };
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pgbouncer-'));
  await chmod(folder, 0o755);
  const ownPort = freePort();
  const query = connectQuery === undefined ? '' : ` connect_query='${connectQuery}'`;
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port} user=${name} password=${secret}${query}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${ownPort}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${mode}`, ...more],
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = Bun.spawn([pgbouncer ?? 'pgbouncer', '-q', ...asUser, file], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const urlOf = (text: string) => throughPooler(text, `127.0.0.1:${ownPort}`);
  const stop = async () => {
    child.kill('SIGKILL');
    await child.exited;
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(10_000, async () => {
    const sql = new SQL(urlOf(url), { max: 1 });
    await sql`select 1`.simple().finally(() => sql.close());
  });
  return { urlOf, stop };
};
