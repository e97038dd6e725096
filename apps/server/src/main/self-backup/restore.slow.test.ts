import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { emptyDatabase, freshDatabase } from '../../../test/harness/database.ts';
import { changeLines } from '../../../test/harness/self-backups.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { accounts } from '../../features/accounts/table.ts';
import { apiKeys } from '../../features/keys/table.ts';
import { blobName } from '../../integrations/blobs/blob-store.ts';
import { createFileStore } from '../../integrations/blobs/file-store.ts';
import { generateMasterKey, parseKeyRing } from '../../kernel/seal.ts';
import { backUpService } from './backup.ts';
import { restoreService } from './restore.ts';

const ring = parseKeyRing(generateMasterKey());
const accountId = '01890000-0000-7000-8000-000000000000';
const strangersKey = 'a'.repeat(64);

let db: Database;
let home: string;
let folder: string;
let url: string;

const open = (at: string) =>
  connectDatabase(at, { name: 'test', poolSize: 2, statementTimeoutMs: 0 });

beforeAll(async () => {
  db = open(await freshDatabase());
  await db
    .insert(accounts)
    .values({ id: accountId, platformId: '175928847299117063', username: 'o' });
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-restores-'));
  const clock = { now: () => new Date() };
  const store = createFileStore(join(home, 'blobs'));
  await store.put(blobName({ accountId, hash: 'ab'.repeat(32) }), Buffer.from('sealed bytes'));
  ({ folder } = await backUpService({ db, store, clock, ring }, { to: join(home, 'backups') }));
  url = await emptyDatabase();
});
afterAll(() => closeDatabase(db));

const restore = (options: { mayLackTag?: boolean } = {}) =>
  restoreService({ url, store: createFileStore(join(home, 'restored')), ring, ...options }, folder);

const inRestored = async <Result>(
  read: (restored: Database) => Promise<Result>,
): Promise<Result> => {
  const restored = open(url);
  try {
    return await read(restored);
  } finally {
    await closeDatabase(restored);
  }
};
const keysInRestored = () => inRestored((restored) => restored.select().from(apiKeys));
const tablesInRestored = () =>
  inRestored((restored) =>
    restored.execute(sql`select from information_schema.tables where table_schema = 'public'`),
  );

/** A row that was never in the service, with hash and count made to fit. */
const addStrangersKey = () =>
  changeLines(folder, 'database', (lines) => {
    const at = lines.findIndex((line) => line.startsWith('{"name":"public.api_keys"'));
    const values: Record<string, string> = {
      ...{ id: accountId, account_id: accountId, name: 'key', scopes: '{}' },
      ...{ hash: strangersKey, last_four: 'aaaa', created_at: '2026-01-01 00:00:00+00' },
    };
    const { columns }: { columns: string[] } = JSON.parse(lines[at] ?? '');
    const row = JSON.stringify(columns.map((column) => values[column] ?? null));
    return lines.toSpliced(at + 1, 0, row);
  });

test("a backup that a stranger's API key was written into is refused, and nothing is written", async () => {
  await addStrangersKey();
  await expect(restore()).rejects.toThrow('is not as Holdfast wrote it');
  expect(await tablesInRestored()).toHaveLength(0);
});

test('a backup without a tag is restored only if the operator says so', async () => {
  await rm(join(folder, 'manifest.tag'));
  await expect(restore()).rejects.toThrow('--unauthenticated');
  expect(await tablesInRestored()).toHaveLength(0);
  expect(await restore({ mayLackTag: true })).toMatchObject({
    restored: true,
    blobs: 1,
    chains: 1,
  });
  expect(await keysInRestored()).toHaveLength(0);
});

test.each([
  ['an unknown table', 'public.strangers', (line: string) => line.replace('api_keys', 'strangers')],
  ['an unknown column', 'surname', (line: string) => line.replace('last_four', 'surname')],
  [
    'a column twice',
    'last_four',
    (line: string) => line.replace('"last_four"', '"last_four","last_four"'),
  ],
])(
  'without a tag, too, %s is refused before a row or a blob is written',
  async (_, name, change) => {
    await rm(join(folder, 'manifest.tag'));
    await changeLines(folder, 'database', (lines) =>
      lines.map((line) => (line.startsWith('{"name":"public.api_keys"') ? change(line) : line)),
    );
    await expect(restore({ mayLackTag: true })).rejects.toThrow(name);
    expect(await inRestored((restored) => restored.select().from(accounts))).toHaveLength(0);
    expect(await readdir(join(home, 'restored')).catch(() => [])).toEqual([]);
  },
);
