import { withinDeadline } from '../../kernel/deadline.ts';
import {
  type BlobStore,
  blobAddress,
  requireAccountId,
  requireBlobName,
  StorageUnavailable,
  type StoredBlob,
} from './blob-store.ts';
import {
  failureOf,
  isExpired,
  isPassing,
  readAnswer,
  type S3Answer,
  type S3Method,
  unavailable,
} from './s3-answers.ts';
import type { S3CredentialSource, S3Credentials } from './s3-credentials.ts';

export type S3Settings = {
  bucket: string;
  /** Without slashes at its ends; empty for none. */
  prefix: string;
  endpoint: string;
  region: string;
  credentials: S3CredentialSource;
  /** For one attempt, until its answer is read to the end. */
  timeoutMs?: number;
  /** The waits before each further attempt. */
  retryAfterMs?: readonly number[];
};

type Place = Pick<S3Settings, 'bucket' | 'endpoint' | 'region'>;
type Attempts = Required<Pick<S3Settings, 'credentials' | 'timeoutMs' | 'retryAfterMs'>>;

const signatureSeconds = 900;

/**
 * Any S3-compatible store, with the bucket in the path. Bun's client signs and lists, but the requests
 * are sent with `fetch`: the client's own calls have no time limit, hide the status and follow redirects.
 * A blob is one put of at most 64 MB, which may be sent twice: it has the same bytes under the same name.
 */
export const createS3Store = (settings: S3Settings): BlobStore => {
  const { credentials, timeoutMs = 60_000, retryAfterMs = [200, 1000, 4000] } = settings;
  const attempts = { credentials, timeoutMs, retryAfterMs };
  const keyBase = settings.prefix === '' ? '' : `${settings.prefix}/`;

  const call = async (
    method: S3Method,
    name: string,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<S3Answer> => {
    const key = keyBase + requireBlobName(name);
    const headers = body && { 'Content-MD5': md5Of(body) };
    return withRetries(attempts, method, async (found) => {
      const url = presignerFor(settings, found).presign(key, {
        method,
        expiresIn: signatureSeconds,
      });
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { method, body, headers, signal, redirect: 'manual' });
      const answer = await readAnswer(response);
      if (isPassing(answer)) throw failureOf(method, answer);
      return answer;
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
    list: (accountId) => listKeys(settings, keyBase, attempts, accountId),
    // An object appears only when its upload is complete.
    removeLeftovers: async () => 0,
  };
};

/** The store refuses a put whose bytes changed on the way. */
const md5Of = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('md5').update(bytes).digest('base64');

const clientFor = ({ endpoint, bucket, region }: Place, found: S3Credentials) =>
  new Bun.S3Client({
    endpoint,
    bucket,
    region,
    accessKeyId: found.accessKeyId,
    secretAccessKey: found.secretAccessKey.reveal(),
    ...(found.sessionToken && { sessionToken: found.sessionToken.reveal() }),
  });

/** Bun writes the key id into a signed URL as it is; that of a Swift user has a colon. */
const presignerFor = (place: Place, found: S3Credentials) =>
  clientFor(place, { ...found, accessKeyId: encodeURIComponent(found.accessKeyId) });

async function* listKeys(
  place: Place,
  keyBase: string,
  attempts: Attempts,
  accountId?: string,
): AsyncIterable<StoredBlob> {
  const prefix = accountId === undefined ? keyBase : `${keyBase}${requireAccountId(accountId)}/`;
  const times = { ms: attempts.timeoutMs, lastMs: attempts.timeoutMs };
  let continuationToken: string | undefined;
  do {
    // Encoded, because a foreign key with a control character makes the whole page unreadable otherwise.
    const options = { prefix, continuationToken, encodingType: 'url' } as const;
    const page = await withRetries(attempts, 'LIST', (found) =>
      withinDeadline(times, () => clientFor(place, found).list(options)),
    );
    yield* (page.contents ?? []).flatMap((object) => toStoredBlob(object, keyBase));
    continuationToken = page.nextContinuationToken;
    if (page.isTruncated && continuationToken === undefined) {
      throw new StorageUnavailable('LIST was truncated without a continuation token');
    }
  } while (continuationToken !== undefined);
}

type ListedObject = { key: string; lastModified?: string; size?: number };

/** Some stores encode the slashes too; nothing else in the name of a blob is ever encoded. */
const toStoredBlob = ({ key, lastModified, size }: ListedObject, keyBase: string) => {
  const name = key.replaceAll(/%2f/gi, '/').slice(keyBase.length);
  if (blobAddress(name) === undefined || lastModified === undefined) return [];
  return [{ name, modifiedAt: new Date(lastModified), storedBytes: size ?? 0 }];
};

/** Tries again whatever failed: without an answer, or after one that may be another next time. */
const withRetries = async <T>(
  { credentials, retryAfterMs }: Attempts,
  what: string,
  work: (found: S3Credentials) => Promise<T>,
): Promise<T> => {
  let mustRenew = false;
  const attempt = async () => work(await credentials({ mustRenew }));
  for (const waitMs of retryAfterMs) {
    try {
      return await attempt();
    } catch (error) {
      mustRenew = isExpired(error);
      await Bun.sleep(waitMs * (0.5 + Math.random()));
    }
  }
  return attempt().catch((error) => {
    throw unavailable(what, error);
  });
};
