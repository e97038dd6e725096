import { expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../kernel/secret.ts';
import { runAdminCommand } from './admin/run.ts';
import { readConfig } from './config.ts';
import { readSecretFiles, secretSettings } from './secret-files.ts';

const withFolder = async (run: (folder: string) => Promise<void> | void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-secrets-'));
  await run(folder);
  await rm(folder, { recursive: true });
};

/** A value that each setting accepts and that no other one has. */
const sampleOf = (name: string): string => {
  if (name === 'DATABASE_URL') return 'postgres://owner:word@database.example/holdfast';
  if (name === 'DATABASE_DIRECT_URL') return 'postgres://owner:word@direct.example/holdfast';
  if (name === 'DATABASE_REPLICA_URL') return 'postgres://owner:word@standby.example/holdfast';
  if (name === 'REDIS_URL') return 'redis://:word@redis.example';
  if (name === 'SMTP_URL') return 'smtp://user:word@mail.example';
  if (name === 'OTEL_EXPORTER_OTLP_HEADERS') return 'authorization=word';
  if (name === 'BLOB_URL') return 's3://bucket?secretAccessKey=word';
  return `value of ${name}`;
};

/** All that is set beside the secrets, so that every part of the configuration is there. */
const complete = { NODE_ENV: 'production', BASE_URL: 'https://holdfast.example' };
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
const others = { ...complete, ...collector, PLATFORM_CLIENT_ID: '1', CAPTCHA_SITE_KEY: 'site' };

const secretsIn = (part: unknown): string[] => {
  if (part instanceof Secret) return [part.reveal()];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(secretsIn) : [];
};

const valuesIn = (part: unknown): unknown[] => {
  if (part instanceof Secret) return [part.reveal()];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(valuesIn) : [part];
};

test('every secret setting can be given as a file, without the newline at its end', () =>
  withFolder(async (folder) => {
    const env: Record<string, string> = { ...others };
    for (const name of secretSettings) {
      const path = join(folder, name);
      await writeFile(path, `${sampleOf(name)}\n`);
      env[`${name}_FILE`] = path;
    }
    const values = valuesIn(readConfig(env));
    for (const name of secretSettings) expect(values).toContain(sampleOf(name));
  }));

test('a file that never ends, or is no secret by its size, is refused', () =>
  withFolder(async (folder) => {
    const path = join(folder, 'large');
    await writeFile(path, 'a'.repeat(65_537));
    for (const CAPTCHA_SECRET_FILE of [path, '/dev/zero']) {
      const { settings, problems } = readSecretFiles({ CAPTCHA_SECRET_FILE });
      expect(settings).toEqual({});
      expect(problems).toEqual([
        `CAPTCHA_SECRET_FILE: ${CAPTCHA_SECRET_FILE} has more than 65536 bytes`,
      ]);
    }
  }));

/** Every setting with the value that `.env.example` shows, or one of its own. */
const exampleSettings = async (): Promise<Record<string, string>> => {
  const text = await Bun.file(join(import.meta.dir, '../../../../.env.example')).text();
  const shown = [...text.matchAll(/^# ([A-Z_]+)=(.*)$/gm)];
  return Object.fromEntries(
    shown.map(([, name = '', value]) => [name, value || ownValues[name] || `value of ${name}`]),
  );
};
const ownValues: Record<string, string> = {
  PLATFORM_CLIENT_ID: '1',
  CAPTCHA_VERIFY_URL: 'https://captcha.example',
};

test('whatever the configuration keeps as a secret, and every address with a password, is such a setting', async () => {
  const env = await exampleSettings();
  const secrets = secretsIn(readConfig(env));
  expect(secrets.length).toBeGreaterThan(8);
  const isSecret = (value: string) =>
    secrets.includes(value) || Boolean(URL.parse(value)?.password);
  const names = Object.keys(env).filter((name) => isSecret(env[name] ?? ''));
  const known: readonly string[] = secretSettings;
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

test('a secret that is given twice, is empty or cannot be read is refused with its name and not its value', () =>
  withFolder(async (folder) => {
    const empty = join(folder, 'empty');
    await writeFile(empty, '\r\n');
    const { problems } = readSecretFiles({
      MASTER_KEYS: 'k1:hidden',
      MASTER_KEYS_FILE: empty,
      SMTP_URL_FILE: empty,
      REDIS_URL_FILE: join(folder, 'none'),
      METRICS_TOKEN_FILE: folder,
    });
    expect(problems.sort()).toEqual([
      'MASTER_KEYS_FILE: MASTER_KEYS is set as well: set one of them',
      `METRICS_TOKEN_FILE: ${folder} cannot be read (EISDIR)`,
      `REDIS_URL_FILE: ${folder}/none cannot be read (ENOENT)`,
      `SMTP_URL_FILE: ${empty} is empty`,
    ]);
    const read = () => readConfig({ ...complete, MASTER_KEYS_FILE: join(folder, 'none') });
    expect(read).toThrow(
      /MASTER_KEYS_FILE: .*ENOENT.*\n.*missing:\n {2}DATABASE_URL\n {2}PLATFORM/,
    );
  }));

test("the operator's commands read the same files", () =>
  withFolder(async (folder) => {
    const path = join(folder, 'database-url');
    await writeFile(path, 'postgres://nobody@127.0.0.1:1/holdfast\n');
    const env = { DATABASE_URL_FILE: path, DATA_DIR: folder };
    await expect(runAdminCommand(['key-status'], env)).rejects.toThrow(
      /127\.0\.0\.1:1|ECONNREFUSED|connect/i,
    );
    const both = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/holdfast' };
    await expect(runAdminCommand(['key-status'], both)).rejects.toThrow(
      'DATABASE_URL_FILE: DATABASE_URL is set as well',
    );
  }));

test('docs/operations.md lists them', async () => {
  const text = await Bun.file(join(import.meta.dir, '../../../../docs/operations.md')).text();
  const [, list = ''] = /#### Secrets as files\n[\s\S]*?\n\n([\s\S]*?)\n\n/.exec(text) ?? [];
  expect(list.match(/[A-Z_]+/g)).toEqual([...secretSettings]);
});
