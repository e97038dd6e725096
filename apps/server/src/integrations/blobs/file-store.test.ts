import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testOnSmallDisk } from '../../../test/harness/storage/small-disk.ts';
import { newId } from '../../kernel/ids.ts';
import { type BlobStore, blobName, StorageFull, StorageUnavailable } from './blob-store.ts';
import { createFileStore } from './file-store.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const freshFolder = () => join(root, newId());
const hashOf = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const addressFor = (accountId: string, bytes: Uint8Array) =>
  blobName({ accountId, hash: hashOf(bytes) });

const startPutting = (folder: string, accountId: string, sizeBytes: number, before = '') => {
  const script = join(import.meta.dir, '../../../test/harness/storage/put-blobs.ts');
  const command = `${before} exec "$0" "$@"`;
  const args = [process.execPath, script, folder, accountId, String(sizeBytes)];
  return Bun.spawn(['sh', '-c', command, ...args], { stdout: 'pipe' });
};

/** Every blob that stands under its final name and is not what its name says. */
const halfBlobs = async (store: BlobStore) => {
  const broken: string[] = [];
  for await (const { name } of store.list()) {
    const bytes = (await store.get(name)) ?? Buffer.alloc(0);
    if (!name.endsWith(hashOf(bytes))) broken.push(name);
  }
  return broken;
};

describe('files', () => {
  test('and folders are open to nobody else', async () => {
    const folder = freshFolder();
    const name = addressFor(newId(), Buffer.from('private'));
    await createFileStore(folder).put(name, Buffer.from('private'));
    const [account = '', shelf = ''] = name.split('/');
    const folders = [folder, join(folder, account), join(folder, account, shelf)];
    for (const path of [...folders, join(folder, 'tmp')]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });

  test('left by killed puts go after an hour, younger ones and blobs stay', async () => {
    const folder = freshFolder();
    const store = createFileStore(folder);
    const name = addressFor(newId(), Buffer.from('stays'));
    await store.put(name, Buffer.from('stays'));
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const [longAgo, justBefore] = [minutesAgo(61), minutesAgo(59)];
    await writeFile(join(folder, 'tmp', 'old'), 'x');
    await writeFile(join(folder, 'tmp', 'young'), 'x');
    await utimes(join(folder, 'tmp', 'old'), longAgo, longAgo);
    await utimes(join(folder, 'tmp', 'young'), justBefore, justBefore);
    await utimes(join(folder, name), longAgo, longAgo);
    expect(await store.removeLeftovers(new Date())).toBe(1);
    expect(await readdir(join(folder, 'tmp'))).toEqual(['young']);
    expect(await store.get(name)).toHaveLength(5);
    expect(await createFileStore(freshFolder()).removeLeftovers(new Date())).toBe(0);
  });

  test('of others in the folder are passed over', async () => {
    const folder = freshFolder();
    const account = newId();
    await mkdir(join(folder, account, 'ab'), { recursive: true });
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'README'), 'x');
    await writeFile(join(folder, account, '.DS_Store'), 'x');
    await writeFile(join(folder, account, 'ab', 'cd'.repeat(32)), 'x');
    expect(await Array.fromAsync(createFileStore(folder).list())).toEqual([]);
  });

  test('that cannot be read are not taken for absent', async () => {
    const folder = freshFolder();
    const name = addressFor(newId(), Buffer.from('x'));
    await mkdir(join(folder, name), { recursive: true });
    const store = createFileStore(folder);
    await expect(store.get(name)).rejects.toThrow(StorageUnavailable);
    await expect(store.put(name, Buffer.from('x'))).rejects.toThrow(StorageUnavailable);
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });
});

test('a process killed in the middle of its puts leaves no half blob, and none it told of is lost', async () => {
  const folder = freshFolder();
  const account = newId();
  const told: string[] = [];
  const leftovers = async () => (await readdir(join(folder, 'tmp'))).length;
  // Goes on until one of them was hit between its first byte and its last.
  for (let round = 0; round < 8 || (round < 60 && (await leftovers()) === 0); round += 1) {
    const child = startPutting(folder, account, 3_000_000);
    const reader = child.stdout.getReader();
    const first = await reader.read();
    await Bun.sleep(Math.random() * 60);
    // Every other one is hit while a file is being written, on a disk of any speed.
    if (round % 2 === 1) waitForLeftover(join(folder, 'tmp'));
    child.kill('SIGKILL');
    let text = new TextDecoder().decode(first.value);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += new TextDecoder().decode(next.value);
    }
    told.push(...text.split('\n').slice(0, -1));
    await child.exited;
  }
  const store = createFileStore(folder);
  expect(await halfBlobs(store)).toEqual([]);
  expect(told.length).toBeGreaterThanOrEqual(8);
  const kept = (await Array.fromAsync(store.list(account))).map(({ name }) => name);
  expect(told.filter((name) => !kept.includes(name))).toEqual([]);
  const later = new Date(Date.now() + 2 * 60 * 60 * 1000);
  expect(await store.removeLeftovers(later)).toBeGreaterThan(0);
  expect(await readdir(join(folder, 'tmp'))).toEqual([]);
});

/** Without giving way in between: a file is there for a few milliseconds only. */
const waitForLeftover = (folder: string): void => {
  const until = performance.now() + 500;
  while (readdirSync(folder).length === 0 && performance.now() < until);
};

test('a blob larger than the system lets a file be ends in words, without a trace', async () => {
  const folder = freshFolder();
  const child = startPutting(folder, newId(), 3_000_000, 'ulimit -f 1000;');
  expect((await new Response(child.stdout).text()).trim()).toBe('StorageFull');
  expect(await Array.fromAsync(createFileStore(folder).list())).toEqual([]);
});

// The limit on a file's size, above, binds also those who may not mount.
await testOnSmallDisk(
  'a full disk ends in words, keeps what it has, and goes on once there is space',
  4,
  async (folder) => {
    const store = createFileStore(folder);
    const account = newId();
    const blobs = [1, 2, 3].map((fill) => Buffer.alloc(1_200_000, fill));
    for (const bytes of blobs) await store.put(addressFor(account, bytes), bytes);
    const more = Buffer.alloc(1_200_000, 4);
    await expect(store.put(addressFor(account, more), more)).rejects.toThrow(StorageFull);
    expect(await store.get(addressFor(account, more))).toBeUndefined();
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
    expect(await halfBlobs(store)).toEqual([]);
    expect(await Array.fromAsync(store.list(account))).toHaveLength(3);

    await store.delete(addressFor(account, Buffer.alloc(1_200_000, 1)));
    await store.put(addressFor(account, more), more);
    expect(await halfBlobs(store)).toEqual([]);
  },
);
