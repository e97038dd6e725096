import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { PgBoss } from 'pg-boss';
import { closeDatabase, connectDatabase } from '../../../src/db/connect.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts';
import { readConfig } from '../../../src/main/config.ts';
import { bossConnection } from '../../../src/queue/boss.ts';
import { eventually } from '../../harness/eventually.ts';

let folder: string;
let postgres: EmbeddedPostgres;
const file = (name: string) => join(folder, name);

/** A server whose certificate names `localhost`, signed by an authority that nobody knows. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
  await chmod(folder, 0o711);
  postgres = await startEmbeddedPostgres(folder);
  await makeAuthority('ca');
  await makeAuthority('stranger');
  await makeServerCertificate();
  await switchTls('on');
});

afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const openssl = (...args: string[]) => {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...args], { cwd: folder });
  if (exitCode !== 0) throw new Error(stderr.toString());
};

const makeAuthority = async (name: string) =>
  openssl(
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
    ...['-keyout', `${name}.key`, '-out', `${name}.crt`],
  );

const makeServerCertificate = async () => {
  const cluster = join(folder, 'postgres');
  const [key, certificate] = [join(cluster, 'server.key'), join(cluster, 'server.crt')];
  const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
  openssl(...request, '-keyout', key, '-out', 'server.csr');
  await Bun.write(file('names'), 'subjectAltName=DNS:localhost');
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
  openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    ...authority,
    '-extfile',
    'names',
    '-out',
    certificate,
  );
  const { uid, gid } = await stat(cluster);
  for (const path of [key, certificate]) {
    await chmod(path, 0o600);
    await chown(path, uid, gid);
  }
};

const urlOf = (host: string, params: Record<string, string>): string => {
  const url = new URL(postgres.url);
  url.hostname = host;
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
};

const switchTls = async (state: 'on' | 'off') => {
  const db = connectDatabase(urlOf('127.0.0.1', { sslmode: 'disable' }), { name: 'test' });
  await db.execute(sql.raw(`alter system set ssl = ${state}`));
  await db.execute(sql`select pg_reload_conf()`);
  await eventually(10_000, async () => {
    const [row] = await db.execute(sql`select current_setting('ssl') as state`);
    expect(row?.state).toBe(state);
  });
  await closeDatabase(db);
};

const isEncrypted = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
type Outcome = 'encrypted' | 'plain' | 'refused';
const outcomeOf = (row: unknown): Outcome => (Object(row).ssl === true ? 'encrypted' : 'plain');

const askByBun = async (url: string): Promise<Outcome> => {
  const db = connectDatabase(url, { name: 'test', poolSize: 1 });
  try {
    return outcomeOf((await db.execute(sql.raw(isEncrypted)))[0]);
  } catch {
    return 'refused';
  } finally {
    await closeDatabase(db);
  }
};

const askByQueue = async (url: string): Promise<Outcome> => {
  const boss = new PgBoss({ ...(await bossConnection(url)), max: 1 });
  const db = boss.getDb();
  try {
    await Object(db).open();
    return outcomeOf((await db.executeSql(isEncrypted)).rows[0]);
  } catch {
    return 'refused';
  } finally {
    await Object(db).close();
  }
};

const askBoth = async (host: string, params: Record<string, string>) => {
  const url = urlOf(host, params);
  return { bun: await askByBun(url), queue: await askByQueue(url) };
};

const both = (outcome: Outcome) => ({ bun: outcome, queue: outcome });
const [named, other] = ['localhost', '127.0.0.1'];

test('both drivers mean the same by each sslmode, and it is what libpq means', async () => {
  const [ca, stranger] = [file('ca.crt'), file('stranger.crt')];
  const seen: Record<string, Awaited<ReturnType<typeof askBoth>>> = {};
  const ask = async (host: string, params: Record<string, string>) => {
    const words = Object.values(params).map((word) => word.replace(`${folder}/`, ''));
    seen[[host, ...words].join(' ')] = await askBoth(host, params);
  };
  await ask(other, {});
  await ask(other, { sslmode: 'disable' });
  await ask(other, { sslmode: 'prefer' });
  await ask(other, { sslmode: 'require' });
  await ask(other, { sslmode: 'require', sslrootcert: ca });
  await ask(other, { sslmode: 'require', sslrootcert: stranger });
  await ask(other, { sslmode: 'verify-ca', sslrootcert: ca });
  await ask(other, { sslmode: 'verify-ca', sslrootcert: stranger });
  await ask(other, { sslmode: 'verify-full', sslrootcert: ca });
  await ask(named, { sslmode: 'verify-full', sslrootcert: ca });
  await ask(named, { sslmode: 'verify-full', sslrootcert: stranger });
  await ask(named, { sslmode: 'verify-full' });
  await ask(named, { sslmode: 'verify-ca', sslrootcert: 'system' });
  expect(seen).toEqual({
    '127.0.0.1': both('encrypted'),
    '127.0.0.1 disable': both('plain'),
    '127.0.0.1 prefer': both('encrypted'),
    '127.0.0.1 require': both('encrypted'),
    '127.0.0.1 require ca.crt': both('encrypted'),
    '127.0.0.1 require stranger.crt': both('refused'),
    '127.0.0.1 verify-ca ca.crt': both('encrypted'),
    '127.0.0.1 verify-ca stranger.crt': both('refused'),
    '127.0.0.1 verify-full ca.crt': both('refused'),
    'localhost verify-full ca.crt': both('encrypted'),
    'localhost verify-full stranger.crt': both('refused'),
    'localhost verify-full': both('refused'),
    'localhost verify-ca system': both('refused'),
  });
});

test('a server without TLS is refused by all modes that ask for it', async () => {
  await switchTls('off');
  expect(await askBoth(other, {})).toEqual(both('plain'));
  expect(await askBoth(other, { sslmode: 'prefer' })).toEqual(both('plain'));
  expect(await askBoth(other, { sslmode: 'require' })).toEqual(both('refused'));
  expect(await askBoth(named, { sslmode: 'verify-full', sslrootcert: file('ca.crt') })).toEqual(
    both('refused'),
  );
});

test.each([
  ['sslmode=allow', 'sslmode=allow is not supported: use one of disable, prefer'],
  ['sslmode=verify_full', 'sslmode=verify_full is not supported: use one of'],
  ['sslmode=verify-ca&sslrootcert=/nowhere/ca.crt', 'sslrootcert=/nowhere/ca.crt cannot be read'],
  ['sslcert=/a.crt&sslkey=/a.key', 'sslcert is not supported'],
  ['connect_timeout=0', 'connect_timeout=0 is not supported: use whole seconds from 1 to 60'],
  ['connect_timeout=soon', 'connect_timeout=soon is not supported'],
  ['channel_binding=require', 'channel_binding=require is not supported'],
])('a start with %s is refused with a sentence', (params, sentence) => {
  const start = () => readConfig({ DATABASE_URL: `postgres://a:b@db.example.com/c?${params}` });
  expect(start).toThrow(sentence);
});
