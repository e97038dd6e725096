import { afterEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { newId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import { blobName, StorageFull, StorageUnavailable } from './blob-store.ts';
import { fixedCredentials } from './s3-credentials.ts';
import { createS3Store } from './s3-store.ts';

const secretKey = 'canary/of+the=secret';
const name = blobName({ accountId: newId(), hash: 'ab'.repeat(32) });
const bytes = Buffer.concat([Buffer.from('sealed')]);

let server: { stop(force: boolean): unknown } | undefined;
afterEach(() => server?.stop(true));

type Answer = (request: Request, nth: number) => Response | Promise<Response>;

/** A store that answers as it is told to, and one of ours that speaks to it. */
const startWith = (answer: Answer) => {
  const requests: { method: string; url: string }[] = [];
  const started = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) =>
      answer(request, requests.push({ method: request.method, url: request.url })),
  });
  server = started;
  return { store: storeAt(started.url.origin), requests };
};

const storeAt = (endpoint: string) =>
  createS3Store({
    bucket: 'blobs',
    prefix: 'kept',
    endpoint,
    region: 'eu-central-1',
    credentials: fixedCredentials({ accessKeyId: 'KEYID', secretAccessKey: new Secret(secretKey) }),
    timeoutMs: 400,
    retryAfterMs: [5, 10],
  });

const refusal = (status: number, code: string) => () =>
  new Response(`<Error><Code>${code}</Code><Message>${secretKey}</Message></Error>`, { status });

const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It did not fail');
};

const hang = () => new Promise<Response>(() => undefined);
const stall = () =>
  new Response(new ReadableStream({ start: (out) => out.enqueue(Buffer.from('begun')) }));

describe('an S3 store', () => {
  test('asks for the bucket in the path, signed for its region', async () => {
    const { store, requests } = startWith(() => new Response());
    await store.put(name, bytes);
    const url = new URL(requests[0]?.url ?? '');
    expect(url.pathname).toBe(`/blobs/kept/${name}`);
    expect(url.searchParams.get('X-Amz-Credential')).toContain('/eu-central-1/s3/');
  });

  test('that asks to come back is asked again', async () => {
    const { store, requests } = startWith((_, nth) =>
      nth < 3 ? refusal(503, 'SlowDown')() : new Response('sealed'),
    );
    expect(Buffer.from((await store.get(name)) ?? [])).toEqual(bytes);
    expect(requests).toHaveLength(3);
  });

  test.each(['RequestTimeout', 'IncompleteBody', 'BadDigest', 'OperationAborted'])(
    'that lost something on the way (%s) is asked again',
    async (code) => {
      const { store, requests } = startWith((_, nth) =>
        nth < 2 ? refusal(400, code)() : new Response(),
      );
      await store.put(name, bytes);
      expect(requests).toHaveLength(2);
    },
  );

  test('is told the digest of what it is given', async () => {
    const digests: (string | null)[] = [];
    const { store } = startWith(({ headers }) => {
      digests.push(headers.get('content-md5'));
      return new Response('sealed');
    });
    await store.put(name, bytes);
    await store.get(name);
    expect(digests).toEqual([createHash('md5').update(bytes).digest('base64'), null]);
  });

  test('that cuts a blob short, or the connection, is asked again', async () => {
    const endings = [
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end('ed'),
    ];
    const broken = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nseal', () =>
          setTimeout(() => endings.shift()?.(socket), 20),
        );
      });
    });
    await new Promise<void>((listening) => broken.listen(0, '127.0.0.1', listening));
    const address = broken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const found = await storeAt(`http://127.0.0.1:${port}`).get(name);
    expect([Buffer.from(found ?? []), endings]).toEqual([bytes, []]);
    broken.close();
  });

  test.each([
    ['403 RequestTimeTooSkewed: its clock and this machine’s are too far apart', {}, 403],
    [
      '301 PermanentRedirect and says that the bucket is in region eu-west-1',
      { 'x-amz-bucket-region': 'eu-west-1' },
      301,
    ],
  ])('that answers %s says so', async (words, headers, status) => {
    const code = /[A-Z]\w+/.exec(words)?.[0];
    const body = `<Error><Code>${code}</Code></Error>`;
    const { store } = startWith(() => new Response(body, { status, headers }));
    await expect(store.put(name, bytes)).rejects.toThrow(words);
  });

  test.each([
    ['fails for good', refusal(500, 'InternalError'), 3, '500 InternalError'],
    ['refuses our keys', refusal(403, 'SignatureDoesNotMatch'), 1, '403 SignatureDoesNotMatch'],
    ['has no such bucket', refusal(404, 'NoSuchBucket'), 1, '404 NoSuchBucket'],
    ['is not there, but a web page is', () => new Response('<html>', { status: 404 }), 1, '404'],
    ['is somewhere else', () => Response.redirect('http://127.0.0.1:1/', 307), 1, '307'],
    ['never answers', hang, 3, 'TimeoutError'],
  ])('that %s is unavailable, in words without secrets', async (_, answer, tries, words) => {
    const { store, requests } = startWith(answer);
    for (const work of [() => store.get(name), () => store.put(name, bytes)]) {
      const failure = await failureOf(work());
      expect(failure).toBeInstanceOf(StorageUnavailable);
      expect(failure.message).toContain(words);
      const shown = Bun.inspect(failure) + JSON.stringify(failure) + String(failure.stack);
      expect(shown).not.toContain('canary');
      expect(shown).not.toContain('Signature=');
    }
    await expect(store.delete(name)).rejects.toThrow(StorageUnavailable);
    await expect(Array.fromAsync(store.list())).rejects.toThrow(StorageUnavailable);
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(tries);
  });

  test('that stops in the middle of a blob is unavailable', async () => {
    const { store } = startWith(stall);
    await expect(store.get(name)).rejects.toThrow('GET failed with TimeoutError');
  });

  test('that cannot be reached is unavailable', async () => {
    const failure = await failureOf(storeAt('http://127.0.0.1:1').put(name, bytes));
    expect(failure.message).toBe('The blob store cannot be used: PUT failed with ECONNREFUSED');
    expect(Bun.inspect(failure)).not.toContain('Signature=');
  });

  test.each([
    ['507', () => new Response('', { status: 507 })],
    ['XMinioStorageFull', refusal(507, 'XMinioStorageFull')],
    ['QuotaExceeded', refusal(403, 'QuotaExceeded')],
  ])('that answers %s is full, and is not asked again', async (_, answer) => {
    const { store, requests } = startWith(answer);
    await expect(store.put(name, bytes)).rejects.toThrow(StorageFull);
    expect(requests).toHaveLength(1);
  });

  test('with more blobs than a page holds is listed to the end, without what is no blob', async () => {
    const second = blobName({ accountId: newId(), hash: 'cd'.repeat(32) });
    const page = (keys: string[], rest: string) => {
      const objects = keys.map(
        (key) =>
          `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>` +
          '<ETag>"x"</ETag><Size>6</Size><StorageClass>STANDARD</StorageClass></Contents>',
      );
      return new Response(
        `<ListBucketResult><Name>blobs</Name>${rest}${objects}</ListBucketResult>`,
      );
    };
    const goOn = '<IsTruncated>true</IsTruncated><NextContinuationToken>t1</NextContinuationToken>';
    const end = '<IsTruncated>false</IsTruncated>';
    const { store } = startWith(({ url }) =>
      new URL(url).searchParams.get('continuation-token') === 't1'
        ? page([`kept/${second}`], end)
        : page([`kept/${name}`, 'kept/notes.txt'], goOn),
    );
    const modifiedAt = new Date('2026-01-02T03:04:05.000Z');
    expect(await Array.fromAsync(store.list())).toEqual([
      { name, modifiedAt, storedBytes: 6 },
      { name: second, modifiedAt, storedBytes: 6 },
    ]);
  });
});
