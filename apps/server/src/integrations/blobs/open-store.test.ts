import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startS3Server } from '../../../test/harness/storage/s3-server.ts';
import { Secret } from '../../kernel/secret.ts';
import { createFileStore } from './file-store.ts';
import { checkBlobStore, describeBlobStore, openBlobStore } from './open-store.ts';

const open = (url: string, credentials = {}) =>
  openBlobStore({ blobUrl: new Secret(url), dataDir: '/nowhere', credentials });

describe('BLOB_URL', () => {
  test('unset means a folder under DATA_DIR, file: means that folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-open-'));
    const elsewhere = join(dataDir, 'else where');
    await checkBlobStore(openBlobStore({ dataDir }));
    await checkBlobStore(open(pathToFileURL(elsewhere).href));
    for (const folder of [join(dataDir, 'blobs'), elsewhere]) {
      expect((await stat(folder)).isDirectory()).toBe(true);
      expect(await Array.fromAsync(createFileStore(folder).list())).toEqual([]);
    }
    await rm(dataDir, { recursive: true });
  });

  test('is described without its secret, also where it is mistyped', () => {
    for (const url of ['s3://bucket', 's3:/bucket', 's3:bucket']) {
      const blobUrl = new Secret(`${url}?accessKeyId=a&secretAccessKey=hidden`);
      expect(describeBlobStore({ blobUrl, dataDir: '/nowhere' })).not.toContain('hidden');
    }
  });

  test('may leave the credentials of s3: to the environment, or hold them, plus signs and all', () => {
    const secretAccessKey = new Secret('s');
    expect(open('s3://bucket', { accessKeyId: 'a', secretAccessKey }).kind).toBe('s3');
    expect(open('s3://bucket/a/b?accessKeyId=a&secretAccessKey=x+y/z=').kind).toBe('s3');
  });

  test('with a plus sign in the secret signs with that secret', async () => {
    const signatures: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        const query = new URL(url).searchParams;
        signatures.push(`${query.get('X-Amz-Date')} ${query.get('X-Amz-Signature')}`);
        return new Response('x');
      },
    });
    const base = `s3://bucket?endpoint=${server.url.origin}&accessKeyId=a&secretAccessKey=`;
    const name = `00000000-0000-0000-0000-000000000000/ab/${'ab'.repeat(32)}`;
    // Signatures hold the second they were made in; both are made anew until they share one.
    const isSameWithin = async (tries: number): Promise<boolean> => {
      await open(`${base}x+y`).get(name);
      await open(`${base}x%2By`).get(name);
      const [first, second] = signatures.splice(0);
      return first === second || (tries > 1 && isSameWithin(tries - 1));
    };
    expect(await isSameWithin(5)).toBe(true);
    await server.stop(true);
  });

  test.each([
    ['ftp://host/canary', 'must begin with file: or s3://'],
    ['/var/blobs', 'must begin with'],
    ['file://host/share', 'must begin with'],
    ['s3:///prefix?accessKeyId=a&secretAccessKey=canary', 'name of a bucket'],
    ['s3://id:canary@bucket', 'name of a bucket'],
    ['s3://bucket?accessKeyId=a', 'neither in it nor in the environment'],
    ['s3://bucket?regoin=x&secretAccessKey=canary', 'it knows only endpoint, region'],
    ['s3://bucket?endpoint=minio:9000&accessKeyId=a&secretAccessKey=canary', 'http or https'],
    ['s3://bucket/a b?accessKeyId=a&secretAccessKey=canary', 'its prefix'],
  ])('%s is refused in words that do not repeat it', (url, words) => {
    expect(() => open(url)).toThrow(words);
    expect(() => open(url)).not.toThrow('canary');
  });
});

describe('the check at the start', () => {
  test('fails for a bucket that is not there', async () => {
    const server = await startS3Server();
    const elsewhere = server.blobUrl.replace('s3://blobs', 's3://others');
    await expect(checkBlobStore(open(elsewhere))).rejects.toThrow('404 NoSuchBucket');
    await checkBlobStore(open(server.blobUrl));
    await server.stop();
  });

  test('fails for a store that gives back something else', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-check-'));
    const store = openBlobStore({ dataDir });
    const forgetful = { ...store, get: async () => Buffer.from('something else') };
    await expect(checkBlobStore(forgetful)).rejects.toThrow('does not give back');
    expect(await Array.fromAsync(store.list())).toEqual([]);
    await rm(dataDir, { recursive: true });
  });
});
