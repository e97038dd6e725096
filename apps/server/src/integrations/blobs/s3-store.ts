import { withinDeadline } from '../../kernel/deadline.ts';
import { errorCode } from '../../kernel/describe-error.ts';
import type { Secret } from '../../kernel/secret.ts';
import {
  type BlobStore,
  blobAddress,
  largestStoredBytes,
  requireAccountId,
  requireBlobName,
  StorageFull,
  StorageUnavailable,
  type StoredBlob,
} from './blob-store.ts';

export type S3Settings = {
  bucket: string;
  /** Without slashes at its ends; empty for none. */
  prefix: string;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  /** For one attempt, until its answer is read to the end. */
  timeoutMs?: number;
  /** The waits before each further attempt. */
  retryAfterMs?: readonly number[];
};

type Method = 'PUT' | 'GET' | 'DELETE';
type RetryOptions = Required<Pick<S3Settings, 'timeoutMs' | 'retryAfterMs'>>;

const signatureSeconds = 900;

/**
 * Any S3-compatible store, with the bucket in the path. Bun's client signs and lists, but the requests
 * are sent with `fetch`: the client's own calls have no time limit, hide the status and follow redirects.
 */
export const createS3Store = (settings: S3Settings): BlobStore => {
  const { timeoutMs = 60_000, retryAfterMs = [200, 1000, 4000] } = settings;
  const retries = { timeoutMs, retryAfterMs };
  const client = createClient(settings);
  const keyBase = settings.prefix === '' ? '' : `${settings.prefix}/`;

  const call = async (
    method: Method,
    name: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<S3Answer> => {
    const key = keyBase + requireBlobName(name);
    return withRetries(retries, method, async () => {
      const url = client.presign(key, { method, expiresIn: signatureSeconds });
      const signal = AbortSignal.timeout(timeoutMs);
      return readAnswer(await fetch(url, { method, body, signal, redirect: 'manual' }));
    });
  };

  return {
    kind: 's3',
    async put(name, bytes) {
      const answer = await call('PUT', name, bytes);
      if (!answer.isOk) throw failureOf('PUT', answer);
    },
    async get(name) {
      const answer = await call('GET', name);
      if (answer.isOk) return answer.bytes;
      // A bare 404 may come from a proxy on the way and does not prove that the blob is gone.
      if (answer.code === 'NoSuchKey') return undefined;
      throw failureOf('GET', answer);
    },
    async delete(name) {
      const answer = await call('DELETE', name);
      if (!answer.isOk && answer.code !== 'NoSuchKey') throw failureOf('DELETE', answer);
    },
    list: (accountId) => listKeys(client, keyBase, retries, accountId),
    // An object appears only when its upload is complete.
    removeLeftovers: async () => 0,
  };
};

const createClient = (settings: S3Settings) => {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings;
  const secret = secretAccessKey.reveal();
  return new Bun.S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey: secret });
};

async function* listKeys(
  client: Bun.S3Client,
  keyBase: string,
  retries: RetryOptions,
  accountId?: string,
): AsyncIterable<StoredBlob> {
  const prefix = accountId === undefined ? keyBase : `${keyBase}${requireAccountId(accountId)}/`;
  const times = { ms: retries.timeoutMs, lastMs: retries.timeoutMs };
  let continuationToken: string | undefined;
  do {
    const page = await withRetries(retries, 'LIST', () =>
      withinDeadline(times, () => client.list({ prefix, continuationToken })),
    );
    yield* (page.contents ?? []).flatMap((object) => toStoredBlob(object, keyBase));
    continuationToken = page.nextContinuationToken;
    if (page.isTruncated && continuationToken === undefined) {
      throw new StorageUnavailable('LIST was truncated without a continuation token');
    }
  } while (continuationToken !== undefined);
}

type ListedObject = { key: string; lastModified?: string; size?: number };

const toStoredBlob = ({ key, lastModified, size }: ListedObject, keyBase: string) => {
  const name = key.slice(keyBase.length);
  if (blobAddress(name) === undefined || lastModified === undefined) return [];
  return [{ name, modifiedAt: new Date(lastModified), storedBytes: size ?? 0 }];
};

/** Tries again without an answer, or after a 429 or 5xx. Errors never contain the URL. */
const withRetries = async <T>(
  retries: RetryOptions,
  what: string,
  work: () => Promise<T>,
): Promise<T> => {
  for (const waitMs of retries.retryAfterMs) {
    const result = await work().catch(() => undefined);
    if (result !== undefined && !isRetryable(result)) return result;
    await Bun.sleep(waitMs * (0.5 + Math.random()));
  }
  try {
    return await work();
  } catch (error) {
    throw new StorageUnavailable(`${what} failed with ${reasonOf(error)}`);
  }
};

const isRetryable = (result: unknown): boolean => {
  const status = typeof result === 'object' && result && 'status' in result ? result.status : 0;
  return typeof status === 'number' && (status === 429 || (status >= 500 && status !== 507));
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no reason given';
  const code = errorCode(error) ?? '';
  return /^[A-Za-z_]{1,64}$/.test(code) ? code : error.name;
};

const fullCodes = [
  'XMinioStorageFull',
  'QuotaExceeded',
  'InsufficientStorage',
  'InsufficientCapacity',
];

const failureOf = (method: Method, { status, code }: S3Answer): Error => {
  const isFull = status === 507 || fullCodes.includes(code);
  if (isFull && method === 'PUT') return new StorageFull();
  return new StorageUnavailable(`${method} was answered with ${status} ${code}`.trimEnd());
};

type S3Answer = {
  isOk: boolean;
  status: number;
  /** The store's error code; empty when it gave none. */
  code: string;
  bytes: Uint8Array;
};

const largestErrorBytes = 16 * 1024;

/** Reads an answer up to a limit: the store is not trusted. */
const readAnswer = async (response: Response): Promise<S3Answer> => {
  const { status, ok: isOk, body } = response;
  const bytes = await readUpTo(body, isOk ? largestStoredBytes : largestErrorBytes);
  const code = isOk ? '' : errorCodeIn(bytes);
  return { isOk, status, code, bytes };
};

const errorCodeIn = (bytes: Uint8Array): string =>
  /<Code>([A-Za-z]{1,64})<\/Code>/.exec(new TextDecoder().decode(bytes))?.[1] ?? '';

const readUpTo = async (
  body: ReadableStream<Uint8Array> | null,
  largest: number,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= largest) break;
  }
  return Buffer.concat(chunks).subarray(0, largest);
};
