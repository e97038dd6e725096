import { createHash } from 'node:crypto';
import type { StoreOfS3rver } from 's3rver';
import S3rver from 's3rver';
import S3Object from 's3rver/lib/models/object.js';

export type S3Server = { endpoint: string; blobUrl: string; stop(): Promise<void> };

/** An S3-compatible store of its own, with one bucket: s3rver's protocol over objects of our own. */
export const startS3Server = async (bucket = 'blobs'): Promise<S3Server> => {
  const configureBuckets = [{ name: bucket }];
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, configureBuckets });
  const store = createObjectStore();
  server.store = store;
  server.context.store = store;
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = 'accessKeyId=S3RVER&secretAccessKey=S3RVER';
  return {
    endpoint,
    blobUrl: `s3://${bucket}/kept?endpoint=${endpoint}&region=us-east-1&${keys}`,
    stop: () => server.close(),
  };
};

type Stored = { bytes: Buffer; md5: string; modifiedAt: Date };

/**
 * The objects of a pretend S3, in memory. An object is replaced and deleted as a whole, as Amazon
 * promises: a reader gets the bytes of one complete upload, however many are under way. The store
 * that s3rver brings truncates the file and writes into it while others read.
 */
const createObjectStore = (): StoreOfS3rver => {
  const buckets = new Map<string, Map<string, Stored>>();
  const objectsIn = (bucket: string) => buckets.get(bucket) ?? new Map<string, Stored>();

  return {
    getBucket: async (name) => (buckets.has(name) ? { name, creationDate: new Date(0) } : null),
    async putBucket(name) {
      if (!buckets.has(name)) buckets.set(name, new Map());
    },
    async putObject({ bucket, key, content, metadata }) {
      const bytes = await readWhole(content, Number(metadata['content-length']));
      const md5 = createHash('md5').update(bytes).digest('hex');
      objectsIn(bucket).set(key, { bytes, md5, modifiedAt: new Date() });
      return { size: bytes.length, md5 };
    },
    async getObject(bucket, key) {
      const found = objectsIn(bucket).get(key);
      return found ? new S3Object(bucket, key, found.bytes, metadataOf(found)) : null;
    },
    existsObject: async (bucket, key) => objectsIn(bucket).has(key),
    async deleteObject(bucket, key) {
      objectsIn(bucket).delete(key);
    },
    async listObjects(bucket, { prefix = '', startAfter = '', maxKeys = 1000 }) {
      const isListed = (key: string) => key.startsWith(prefix) && key > startAfter;
      const all = [...objectsIn(bucket)].filter(([key]) => isListed(key)).toSorted(byKey);
      const page = all.slice(0, maxKeys);
      const objects = page.map(([key, s]) => new S3Object(bucket, key, null, metadataOf(s)));
      return { objects, commonPrefixes: [], isTruncated: page.length < all.length };
    },
    getSubresource: async () => null,
  };
};

/** An upload that breaks off leaves nothing behind. */
const readWhole = async (
  content: AsyncIterable<Uint8Array>,
  expectedBytes: number,
): Promise<Buffer> => {
  const bytes = Buffer.concat(await Array.fromAsync(content));
  if (bytes.length !== expectedBytes) throw new Error('The upload broke off');
  return bytes;
};

const metadataOf = ({ bytes, md5, modifiedAt }: Stored) => ({
  etag: JSON.stringify(md5),
  'last-modified': modifiedAt.toUTCString(),
  'content-length': bytes.length,
});

const byKey = ([one]: [string, Stored], [other]: [string, Stored]): number =>
  one < other ? -1 : 1;
