import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Secret } from '../../kernel/secret.ts';
import { type BlobStore, blobName, StorageUnavailable } from './blob-store.ts';
import { createFileStore } from './file-store.ts';
import { fixedCredentials, roleCredentials, type S3Credentials } from './s3-credentials.ts';
import { createS3Store, type S3Settings } from './s3-store.ts';

/** Used where `BLOB_URL` has no credentials; where they are empty too, those of a profile or role. */
type Settings = { blobUrl?: Secret; dataDir: string; credentials?: Partial<S3Credentials> };

/**
 * `BLOB_URL` is one of
 *   (nothing)                         files under `DATA_DIR/blobs`
 *   file:///absolute/folder           files there; file:./folder from where the service was started
 *   s3://bucket[/prefix]?endpoint=…&region=…&accessKeyId=…&secretAccessKey=…
 * Everything after the bucket is optional: the endpoint is then Amazon's for the region, the region
 * `us-east-1`, and the credentials those of the settings or, without any, of a profile or role.
 */
export const openBlobStore = ({ blobUrl, dataDir, credentials = {} }: Settings): BlobStore => {
  if (blobUrl === undefined) return createFileStore(join(dataDir, 'blobs'));
  const text = blobUrl.reveal();
  if (text.startsWith('file:///')) return createFileStore(fileURLToPath(text));
  if (/^file:(?!\/\/)./.test(text)) return createFileStore(resolve(text.slice('file:'.length)));
  if (text.startsWith('s3://')) return createS3Store(parseS3Url(text, credentials));
  throw unusable('it must begin with file: or s3://');
};

/** For messages: where the blobs are stored, without credentials. */
export const describeBlobStore = ({ blobUrl, dataDir, credentials = {} }: Settings): string => {
  const text = blobUrl?.reveal() ?? join(dataDir, 'blobs');
  // One that is only nearly an S3 address may contain a secret all the same.
  if (/^s3:(?!\/\/)/.test(text)) return 'the blob store of BLOB_URL';
  if (!text.startsWith('s3://')) return `the blob store in ${text}`;
  const { bucket, endpoint } = parseS3Url(text, credentials);
  return `the bucket ${bucket} at ${new URL(endpoint).host}`;
};

/** Writes, reads and deletes a blob, so that the start fails rather than the first backup. */
export const checkBlobStore = async (store: BlobStore): Promise<void> => {
  const hash = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  const name = blobName({ accountId: probeAccountId, hash });
  const probe = Buffer.from(`probe ${hash}`);
  await store.put(name, probe);
  const found = await store.get(name);
  await store.delete(name);
  if (!found || !probe.equals(found)) {
    throw new StorageUnavailable('it does not give back what it was given');
  }
};

/** The account of probes; a sweep removes what a killed check left. */
const probeAccountId = '00000000-0000-0000-0000-000000000000';

const parameters = ['endpoint', 'region', 'accessKeyId', 'secretAccessKey'];

const parseS3Url = (text: string, credentials: Partial<S3Credentials>): S3Settings => {
  const url = URL.parse(text);
  if (!url) throw unusable('it cannot be read as a URL');
  // Secret keys hold plus signs, which a query would turn into spaces.
  const query = new URLSearchParams(url.search.replaceAll('+', '%2B'));
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw unusable(`it knows only ${parameters.join(', ')}`);

  const region = query.get('region') ?? 'us-east-1';
  const endpoint = query.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw unusable('its endpoint must be an http or https URL');
  }
  return {
    bucket: bucketOf(url),
    prefix: prefixOf(url),
    endpoint,
    region,
    credentials: credentialsOf(query, credentials) ?? roleCredentials(region),
  };
};

const bucketOf = ({ host, username }: URL): string => {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(host) || username !== '') {
    throw unusable('after s3:// comes the name of a bucket');
  }
  return host;
};

const prefixOf = ({ pathname }: URL): string => {
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  if (!/^[\w.\-/]*$/.test(prefix) || prefix.includes('//')) {
    throw unusable('its prefix may hold letters, digits, dots, dashes and single slashes');
  }
  return prefix;
};

/** Nothing where there is no key anywhere. A session token belongs to the secret of the settings. */
const credentialsOf = (query: URLSearchParams, settings: Partial<S3Credentials>) => {
  const accessKeyId = query.get('accessKeyId') ?? settings.accessKeyId;
  const inUrl = query.get('secretAccessKey');
  const secretAccessKey = inUrl === null ? settings.secretAccessKey : new Secret(inUrl);
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? 'accessKeyId' : 'secretAccessKey';
    throw unusable(`${missing} is neither in it nor in the environment`);
  }
  const sessionToken = inUrl === null ? settings.sessionToken : undefined;
  return fixedCredentials({ accessKeyId, secretAccessKey, sessionToken });
};

/** Never quotes the URL, which may contain a secret. */
const unusable = (reason: string): Error => new Error(`BLOB_URL cannot be used: ${reason}`);
