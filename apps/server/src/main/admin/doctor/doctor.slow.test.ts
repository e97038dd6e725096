import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { freshDatabase } from '../../../../test/harness/database.ts';
import { startMailServer } from '../../../../test/harness/network/mail-server.ts';
import { freePort, runAdmin } from '../../../../test/harness/service-process.ts';
import { sharedSimulator } from '../../../../test/harness/simulator/start.ts';
import { generateMasterKey } from '../../../kernel/seal.ts';
import { CommandFailed } from '../command.ts';
import { runAdminCommand } from '../run.ts';
import type { Finding } from './finding.ts';

let folder: string;
let databaseUrl: string;
let apiUrl: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'));
  databaseUrl = await freshDatabase();
  apiUrl = (await sharedSimulator()).apiUrl;
});
afterAll(() => rm(folder, { recursive: true }));

const secret = (name: string) => `${name}-must-not-be-printed`;

const settings = () => ({
  NODE_ENV: 'development',
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl,
  MASTER_KEYS: generateMasterKey(),
  PLATFORM_API_URL: apiUrl,
  PLATFORM_CLIENT_ID: '498605767562051586',
  PLATFORM_CLIENT_SECRET: 'a client secret',
});

type Report = { text: string; isWell: boolean; findings: Finding[] };

const examine = async (env: Record<string, string>): Promise<Report> => {
  const text = await runAdminCommand(['doctor', '--json'], env).catch((error: unknown) => {
    if (error instanceof CommandFailed) return error.output;
    throw error;
  });
  return { text, ...JSON.parse(text) };
};

const about = (report: Report, check: string) =>
  report.findings.filter((finding) => finding.check === check);
const stateOf = (report: Report, check: string) => about(report, check).map(({ state }) => state);

describe('an installation in order', () => {
  test('has no problem with what is there, is told what is missing, and stays as it was', async () => {
    const mail = await startMailServer();
    const report = await examine({ ...settings(), SMTP_URL: mail.url });
    await mail.stop();
    const wellChecks = [
      ...['settings', 'database', 'encryption', 'migrations', 'connections', 'standby', 'clock'],
      ...['master keys', 'object store', 'disk', 'Redis', 'mail', 'sign-in client', 'bots'],
      ...['billing', 'gateway', 'queue'],
    ];
    expect(
      wellChecks.flatMap((check) => about(report, check).map((one) => [check, one.state])),
    ).toEqual(wellChecks.map((check) => [check, 'ok']));
    expect(stateOf(report, 'platform')).toEqual(['ok', 'ok']);
    // Nothing serves BASE_URL, and no worker ever ran on this database.
    expect([...stateOf(report, 'address'), ...stateOf(report, 'worker')]).toEqual([
      'problem',
      'problem',
    ]);
    expect(report.isWell).toBe(false);
    for (const { state, advice } of report.findings) expect(advice === null).toBe(state === 'ok');
    // A key that was only tried must not become the known one under its id.
    const sql = new SQL(databaseUrl, { max: 1 });
    expect([...(await sql`select key_id from seal_keys`)]).toEqual([]);
    await sql.close();
  });
});

describe('what is wrong', () => {
  test('is found, each with advice, and no secret is printed', async () => {
    const closed = `127.0.0.1:${freePort()}`;
    const report = await examine({
      ...settings(),
      NODE_ENV: 'production',
      BASE_URL: `http://${closed}`,
      DATABASE_URL: `postgres://app:${secret('database')}@${closed}/holdfast`,
      REDIS_URL: `redis://app:${secret('redis')}@${closed}`,
      BLOB_URL: `s3://bucket?endpoint=http://${closed}&accessKeyId=id&secretAccessKey=${secret('store')}`,
      SMTP_URL: `smtp://app:${secret('mail')}@${closed}`,
      PLATFORM_CLIENT_SECRET: secret('client'),
      BILLING_API_KEY: secret('billing'),
      METRICS_TOKEN: secret('metrics'),
    });
    expect(report.text).not.toContain('must-not-be-printed');
    const faulty = ['database', 'object store', 'Redis', 'mail', 'billing', 'address', 'proxy'];
    for (const check of faulty)
      expect([check, ...stateOf(report, check)]).toEqual([check, 'problem']);
    for (const { state, advice } of report.findings) {
      if (state !== 'ok') expect(advice?.length).toBeGreaterThan(3);
    }
    // What needs the database says so instead of failing in its own words.
    expect(about(report, 'queue')[0]).toMatchObject({ state: 'warning', detail: 'not checked' });
  });

  test('one address that accepts and never answers holds up none of the others', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const startedAt = performance.now();
    const report = await examine({
      ...settings(),
      BASE_URL: `http://127.0.0.1:${port}`,
      REDIS_URL: `redis://127.0.0.1:${port}`,
    });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    silent.close();
    expect([...stateOf(report, 'address'), ...stateOf(report, 'Redis')]).toEqual([
      'problem',
      'problem',
    ]);
    expect(stateOf(report, 'database')).toEqual(['ok']);
  });

  test('a role that may not write is named with what it lacks', async () => {
    const sql = new SQL(databaseUrl, { max: 1 });
    const role = `doctor_${crypto.randomUUID().slice(0, 8)}`;
    await sql.unsafe(`create role ${role} login password 'x'; grant usage on schema public to ${role};
      grant select on all tables in schema public to ${role}`);
    const url = new URL(databaseUrl);
    url.username = role;
    url.password = 'x';
    const report = await examine({ ...settings(), DATABASE_URL: url.href });
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    await sql.close();
    const [rights] = about(report, 'rights');
    expect(rights?.state).toBe('problem');
    expect(rights?.detail).toMatch(/lacks usage on schema drizzle/);
    expect(rights?.detail).toMatch(/and \d+ more$/);
  });

  test('another key under a known id, and a key file that others can read', async () => {
    const url = await freshDatabase();
    const ring = generateMasterKey();
    const sql = new SQL(url, { max: 1 });
    const [id] = ring.split(':');
    await sql`insert into seal_keys (key_id, sealed_check) values (${id}, ${`s1.${id}.AAAA.AAAA`})`;
    await sql.close();
    const { MASTER_KEYS: _, ...env } = settings();
    const file = join(folder, 'master.keys');
    await writeFile(file, ring);
    await chmod(file, 0o644);
    const report = await examine({ ...env, DATABASE_URL: url });
    await rm(file);
    expect(about(report, 'master keys').map(({ advice }) => advice)).toEqual([
      expect.stringMatching(/^MASTER_KEYS has another key under the id/),
      `Run "chmod 600 ${file}", then rotate the key.`,
    ]);
    expect(report.text).not.toContain(ring);
  });

  test('settings that cannot be used are the one finding, and the exit code is 1', async () => {
    const said = await runAdmin({ DB_POOL: 'many' }, 'doctor');
    expect(said).toMatchObject({ exitCode: 1, stderr: '' });
    expect(said.stdout).toMatch(/^problem {2}settings: .*DB_POOL.*\n {9}Correct them first/);
    expect(said.stdout).toEndWith('\nok: 0, warnings: 0, problems: 1\n');
  });
});
