import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '../../../test/harness/database.ts';
import { randomPlatformId } from '../../../test/harness/service.ts';
import { runAdmin } from '../../../test/harness/service-process.ts';
import { commands } from './commands.ts';
import { runAdminCommand } from './run.ts';

let env: Record<string, string>;
let emptyDir: string;
beforeAll(async () => {
  env = { DATABASE_URL: await freshDatabase() };
  emptyDir = await mkdtemp(join(tmpdir(), 'holdfast-admin-'));
});
afterAll(() => rm(emptyDir, { recursive: true }));

const admin = async (...args: string[]) => JSON.parse(await runAdminCommand(args, env));

describe('without a database', () => {
  test('a command refuses, says what to do, and makes none', async () => {
    const args = ['create-key', '--platform-id', '1000', '--scopes', '*', '--name', 'first'];
    const said = await runAdmin({ DATA_DIR: emptyDir }, ...args);
    expect(said).toMatchObject({ exitCode: 1, stdout: '' });
    expect(said.stderr).toMatch(/^There is no database: .*npm start.*DATABASE_URL.*\n$/);
    expect(await readdir(emptyDir)).toEqual([]);
  });

  test('a command refuses as well where there is no such folder', async () => {
    const nowhere = { DATA_DIR: join(emptyDir, 'nowhere') };
    const asked = runAdminCommand(['list-accounts'], nowhere);
    await expect(asked).rejects.toThrow(/nothing runs on .*nowhere/);
  });
});

describe('--help', () => {
  test('lists every command, and needs no database', async () => {
    for (const word of ['--help', '-h']) {
      const text = await runAdminCommand([word], { DATA_DIR: emptyDir });
      for (const name of Object.keys(commands)) expect(text).toContain(`\n  ${name} `);
    }
  });

  test('of a command lists every option with what it is', async () => {
    for (const [name, { options, summary }] of Object.entries(commands)) {
      const text = await runAdminCommand([name, '--help'], { DATA_DIR: emptyDir });
      expect(text).toContain(summary);
      for (const option of options) {
        expect(option.description).not.toBe('');
        expect(text).toContain(`--${option.name}`);
      }
    }
    const ofOne = await runAdminCommand(['create-key', '--help'], {});
    expect(ofOne).toContain('create-key --platform-id … [--plan …] --scopes … --name …');
  });
});

describe('an operator', () => {
  const platformId = randomPlatformId();
  let made: { key: string; keyId: string; userId: string };
  beforeAll(async () => {
    const wish = ['--platform-id', platformId, '--plan', 'PREMIUM', '--scopes', 'audit:read'];
    made = await admin('create-key', ...wish, '--name', 'first');
    await admin('create-key', '--platform-id', randomPlatformId(), '--scopes', '*', '--name', 'x');
  });

  const account = () => ({
    userId: made.userId,
    platformId,
    username: `user-${platformId}`,
    displayName: null,
    plan: 'PREMIUM',
    mfaEnabled: false,
    createdAt: expect.stringMatching(/Z$/),
  });

  test('lists accounts page by page, newest first', async () => {
    const [first, second] = [
      await admin('list-accounts', '--limit', '1'),
      await admin('list-accounts', '--limit', '1', '--page', '2'),
    ];
    expect(second.accounts).toEqual([account()]);
    expect(first.accounts).toHaveLength(1);
    expect(first.accounts).not.toEqual(second.accounts);
    expect(first.pagination).toEqual({ page: 1, limit: 1, total: 2, totalPages: 2 });
  });

  test('finds an account by its id, platform id, username or the end of a key', async () => {
    const found = { accounts: [account()] };
    expect(await admin('find-account', '--user', made.userId)).toEqual(found);
    expect(await admin('find-account', '--platform-id', platformId)).toEqual(found);
    expect(await admin('find-account', '--username', `USER-${platformId}`)).toEqual(found);
    expect(await admin('find-account', '--key-last-four', made.key.slice(-4))).toEqual(found);
    expect(await admin('find-account', '--username', 'user-')).toEqual({ accounts: [] });
    await expect(admin('find-account')).rejects.toThrow('exactly one');
    const two = ['--user', made.userId, '--username', 'x'];
    await expect(admin('find-account', ...two)).rejects.toThrow('exactly one');
  });

  test('lists the keys of an account without showing any', async () => {
    const { keys, pagination } = await admin('list-keys', '--user', made.userId);
    expect(pagination.total).toBe(1);
    expect(keys).toEqual([
      {
        keyId: made.keyId,
        name: 'first',
        scopes: ['audit:read'],
        lastFour: made.key.slice(-4),
        lastUsedAt: null,
        expiresAt: null,
        revokedAt: null,
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    await admin('revoke-key', '--key-id', made.keyId);
    const after = await admin('list-keys', '--user', made.userId);
    expect(after.keys[0].revokedAt).toMatch(/Z$/);
    await expect(admin('list-keys', '--user', crypto.randomUUID())).rejects.toThrow('No such');
  });
});
