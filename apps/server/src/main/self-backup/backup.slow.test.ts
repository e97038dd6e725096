import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freshDatabase } from '../../../test/harness/database.ts';
import { changeLines } from '../../../test/harness/self-backups.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import { type BlobStore, blobName } from '../../integrations/blobs/blob-store.ts';
import { createFileStore } from '../../integrations/blobs/file-store.ts';
import { generateMasterKey, parseKeyRing } from '../../kernel/seal.ts';
import { backUpService } from './backup.ts';
import { readBlobList, readCopy } from './blobs.ts';

let db: Database;
let home: string;
let to: string;
let store: BlobStore;
/** A backup's folder is named after its second. */
let second = Date.now();

beforeAll(async () => {
  db = connectDatabase(await freshDatabase(), { name: 'test', poolSize: 4, statementTimeoutMs: 0 });
});
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'holdfast-backups-'));
  to = join(home, 'backups');
  store = createFileStore(join(home, 'blobs'));
});
afterAll(() => closeDatabase(db));

const ring = parseKeyRing(generateMasterKey());
const accountId = '01890000-0000-7000-8000-000000000000';
const nameOf = (letters: string) => blobName({ accountId, hash: letters.repeat(32) });
const put = (letters: string) => store.put(nameOf(letters), Buffer.from(`bytes of ${letters}`));

const backUp = (keep?: number, from = store) => {
  second += 1000;
  const now = new Date(second);
  const clock = { now: () => now };
  return backUpService({ db, store: from, clock, ring }, { to, keep });
};
const backups = async () => (await readdir(to)).filter((name) => name.startsWith('holdfast-'));
const requireAllCopies = async (folder: string) => {
  for await (const blob of readBlobList(folder)) await readCopy(to, blob);
};

test('a backup is made beside one whose list of blobs is missing or torn', async () => {
  await put('ab');
  const first = await backUp();
  await rm(join(first.folder, 'blobs.gz'));
  const second = await backUp();
  await truncate(join(second.folder, 'blobs.gz'), 15);
  const third = await backUp();
  expect(third.blobs).toBe(1);
  await requireAllCopies(third.folder);
});

test('a damaged backup does not keep others from being deleted, nor costs it a copy that it lists', async () => {
  await put('ab');
  const damaged = await backUp();
  await put('cd');
  await store.delete(nameOf('ab'));
  await backUp();
  await truncate(join(damaged.folder, 'blobs.gz'), 15);
  const report = await backUp(1);
  expect(report).toMatchObject({ deletedBackups: 2 });
  expect(await backups()).toEqual([basename(report.folder)]);

  const kept = await backUp(2);
  await truncate(join(kept.folder, 'blobs.gz'), 15);
  // Were this a failure, the job would be repeated, and each time another good backup deleted.
  const next = await backUp(2);
  expect(next).toMatchObject({ deletedBackups: 1, notDeleted: expect.any(String) });
  expect(await backups()).toHaveLength(2);
  await requireAllCopies(next.folder);
});

test('a list of blobs that was altered is not taken over by the next backup', async () => {
  await put('ab');
  await put('cd');
  const first = await backUp();
  await changeLines(first.folder, 'blobs', (lines) => {
    const [one, other] = lines.map((line) => JSON.parse(line));
    return [{ ...one, sha256: other.sha256 }, other].map((blob) => JSON.stringify(blob));
  });
  const second = await backUp();
  const hashes = new Set<string>();
  for await (const { sha256 } of readBlobList(second.folder)) hashes.add(sha256);
  expect(hashes.size).toBe(2);
});

/** The store, in which something happens when the blobs are listed for the second time. */
const meanwhile = (happens: () => Promise<unknown>): BlobStore => {
  let lists = 0;
  return {
    ...store,
    async *list() {
      if (++lists === 2) await happens();
      yield* store.list();
    },
  };
};

test('two backups at once take no copy from each other', async () => {
  await put('cd');
  await backUp();
  await put('ab');
  const slow = await backUp(
    undefined,
    meanwhile(async () => {
      await store.delete(nameOf('ab'));
      expect(await backUp(1)).toMatchObject({ deletedBackups: 1 });
    }),
  );
  expect(slow.blobs).toBe(2);
  await requireAllCopies(slow.folder);
});

test('a backup whose copy was taken away is not called whole', async () => {
  await put('ab');
  const copies = join(to, 'blobs');
  const losing = meanwhile(async () => {
    await store.delete(nameOf('ab'));
    await rm(copies, { recursive: true });
  });
  await expect(backUp(undefined, losing)).rejects.toThrow('is gone: begin again');
  expect(await readdir(to)).toEqual([]);
});

test('what else is in the folder stays', async () => {
  await put('ab');
  const foreign = join(to, 'blobs', accountId, 'ab');
  await mkdir(foreign, { recursive: true });
  await writeFile(join(foreign, 'file'), 'not ours');
  await mkdir(join(to, 'holdfast-notes'));
  await backUp();
  expect(await backUp(1)).not.toHaveProperty('notDeleted');
  expect(await readdir(foreign)).toEqual(['file']);
  expect(await backups()).toContain('holdfast-notes');
});

test('an address is no folder', async () => {
  to = 's3://bucket/backups';
  await expect(backUp()).rejects.toThrow('goes to a folder');
});
