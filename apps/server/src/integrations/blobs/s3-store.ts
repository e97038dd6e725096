import { withinDeadline } from '../../kernel/deadline.ts';
import type { Secret } from '../../kernel/secret.ts';
import { readAnswer, type S3Answer } from './s3-answer.ts';
import {
  type BlobStore,
  blobAddress,
  requireAccountId,
  requireBlobName,
  StorageFull,
  StorageUnavailable,
  type StoredBlob,
} from './store.ts';

export type S3Settings = {
  bucket: string;
  /** Without slashes at its ends; empty for none. */
  prefix: string;
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: Secret;
  /** For one try, its answer read to the end. */
  timeoutMs?: number;
  /** How long to wait before each further try. */
  retryAfterMs?: readonly number[];
};

type Method = 'PUT' | 'GET' | 'DELETE';
type Tries = Required<Pick<S3Settings, 'timeoutMs' | 'retryAfterMs'>>;

const signatureSeconds = 900;

/**
 * Any S3-compatible store, bucket in the path. Bun's client signs and lists, but `fetch` carries the
 * bytes: the client's own calls know no time limit, hide the status and follow redirects.
 */
export const createS3Store = (settings: S3Settings): BlobStore => {
  const { timeoutMs = 60_000, retryAfterMs = [200, 1000, 4000] } = settings;
  const tries = { timeoutMs, retryAfterMs };
  const client = createClient(settings);
  const keyBase = settings.prefix === '' ? '' : `${settings.prefix}/`;

  const call = async (
    method: Method,
    name: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<S3Answer> => {
    const key = keyBase + requireBlobName(name);
    return inTries(tries, method, async () => {
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
      // A bare 404 may come from anything on the way, and must not be taken for a lost blob.
      if (answer.code === 'NoSuchKey') return undefined;
      throw failureOf('GET', answer);
    },
    async delete(name) {
      const answer = await call('DELETE', name);
      if (!answer.isOk && answer.code !== 'NoSuchKey') throw failureOf('DELETE', answer);
    },
    list: (accountId) => listKeys(client, keyBase, tries, accountId),
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
  tries: Tries,
  accountId?: string,
): AsyncIterable<StoredBlob> {
  const prefix = accountId === undefined ? keyBase : `${keyBase}${requireAccountId(accountId)}/`;
  const times = { ms: tries.timeoutMs, lastMs: tries.timeoutMs };
  let continuationToken: string | undefined;
  do {
    const page = await inTries(tries, 'LIST', () =>
      withinDeadline(times, () => client.list({ prefix, continuationToken })),
    );
    yield* (page.contents ?? []).flatMap((object) => toStoredBlob(object, keyBase));
    continuationToken = page.nextContinuationToken;
    if (page.isTruncated && continuationToken === undefined) {
      throw new StorageUnavailable('LIST stopped half-way and did not say how to go on');
    }
  } while (continuationToken !== undefined);
}

type ListedObject = { key: string; lastModified?: string; size?: number };

const toStoredBlob = ({ key, lastModified, size }: ListedObject, keyBase: string) => {
  const name = key.slice(keyBase.length);
  if (blobAddress(name) === undefined || lastModified === undefined) return [];
  return [{ name, modifiedAt: new Date(lastModified), storedBytes: size ?? 0 }];
};

/** Tries again when there was no answer, or one that asks to come back. Errors never name the URL. */
const inTries = async <T>(tries: Tries, what: string, work: () => Promise<T>): Promise<T> => {
  for (const waitMs of tries.retryAfterMs) {
    const result = await work().catch(() => undefined);
    if (result !== undefined && !asksToComeBack(result)) return result;
    await Bun.sleep(waitMs * (0.5 + Math.random()));
  }
  try {
    return await work();
  } catch (error) {
    throw new StorageUnavailable(`${what} failed with ${codeOf(error)}`);
  }
};

const asksToComeBack = (result: unknown): boolean => {
  const status = typeof result === 'object' && result && 'status' in result ? result.status : 0;
  return typeof status === 'number' && (status === 429 || (status >= 500 && status !== 507));
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'no reason given';
  const code = 'code' in error ? String(error.code) : '';
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
