import { afterAll, beforeAll, describe, expect } from 'bun:test';
import { testWith } from '../../../test/harness/running-service.ts';
import type { S3Server } from '../../../test/harness/storage/s3-server.ts';
import {
  bytesOf,
  namesOf,
  randomName,
  testBlobStore,
} from '../../../test/harness/storage/store-cases.ts';
import { isSwiftThere, startSwift } from '../../../test/harness/storage/swift-server.ts';
import { newId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import { openBlobStore } from './open-store.ts';

const open = (url: string, credentials = {}) =>
  openBlobStore({ blobUrl: new Secret(url), dataDir: '/nowhere', credentials });

testBlobStore({
  name: 'real S3',
  kind: 's3',
  isThere: isSwiftThere,
  async start() {
    const { blobUrl, stop } = await startSwift();
    return { store: open(blobUrl), stop };
  },
});

const test = testWith('Swift', isSwiftThere);

describe('a real S3 store', () => {
  let swift: S3Server;
  beforeAll(async () => {
    if (isSwiftThere) swift = await startSwift();
  });
  afterAll(() => swift?.stop());

  /** A proxy in front of it, through which signatures stay valid, and a store that goes by it. */
  const startBehind = (pass: (request: Request, nth: number) => Promise<Response>) => {
    let seen = 0;
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        seen += 1;
        return pass(request, seen);
      },
    });
    const url = swift.blobUrl.replace(swift.endpoint, server.url.origin);
    return { store: open(url), seen: () => seen, stop: () => server.stop(true) };
  };

  const forward = async (request: Request, body?: Uint8Array<ArrayBuffer>) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const sent = body ?? Buffer.from(await request.arrayBuffer());
    return fetch(swift.endpoint + pathname + search, {
      method,
      headers,
      ...(method === 'PUT' && { body: sent }),
    });
  };

  test('takes a session token as part of the signature', async () => {
    const [address = ''] = swift.blobUrl.split('&accessKeyId=');
    const keys = { accessKeyId: 'test:tester', secretAccessKey: new Secret('testing') };
    const store = open(address, { ...keys, sessionToken: new Secret('a/b+c==&d') });
    const name = randomName();
    await store.put(name, bytesOf('sealed'));
    expect(Buffer.from((await store.get(name)) ?? [])).toEqual(bytesOf('sealed'));
    expect(await namesOf(store.list())).toContain(name);
  });

  test('is listed page by page, around foreign keys with odd characters', async () => {
    const accountId = newId();
    const names = Array.from({ length: 45 }, () => randomName(accountId)).toSorted();
    const store = open(swift.blobUrl);
    await Promise.all(names.map((name) => store.put(name, bytesOf('x'))));
    const { endpoint } = swift;
    const keys = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
    const client = new Bun.S3Client({ endpoint, bucket: 'blobs', region: 'us-east-1', ...keys });
    for (const odd of ['ü & <b> %2F+', 'bell \u0007', 'a\nb']) {
      await client.write(`kept/${accountId}/${odd}`, 'foreign');
    }
    expect(await namesOf(store.list(accountId))).toEqual(names);
  });

  test('refuses bytes that changed on the way, and gets the right ones after it', async () => {
    const { store, seen, stop } = startBehind((request, nth) =>
      forward(request, nth === 1 ? bytesOf('tampered') : undefined),
    );
    const name = randomName();
    await store.put(name, bytesOf('original'));
    expect(seen()).toBe(2);
    expect(Buffer.from((await open(swift.blobUrl).get(name)) ?? [])).toEqual(bytesOf('original'));
    await stop();
  });

  test('holds a blob once whose put was repeated because its answer was lost', async () => {
    const { store, seen, stop } = startBehind(async (request, nth) => {
      const answer = await forward(request);
      return nth === 1 ? new Response('', { status: 504 }) : answer;
    });
    const accountId = newId();
    const name = randomName(accountId);
    await store.put(name, bytesOf('sealed'));
    expect(seen()).toBe(2);
    expect(await namesOf(open(swift.blobUrl).list(accountId))).toEqual([name]);
    await stop();
  });

  test('tells a wrong secret and a missing bucket apart', async () => {
    const wrong = swift.blobUrl.replace('=testing', '=guessed');
    await expect(open(wrong).put(randomName(), bytesOf('x'))).rejects.toThrow(
      '403 SignatureDoesNotMatch',
    );
    const elsewhere = swift.blobUrl.replace('s3://blobs', 's3://others');
    await expect(open(elsewhere).put(randomName(), bytesOf('x'))).rejects.toThrow(
      '404 NoSuchBucket',
    );
  });
});
