/** The part of the package that the tests use; it brings no types of its own. */
declare module 's3rver' {
  import type S3Object from 's3rver/lib/models/object.js';

  class S3rver {
    constructor(options: S3rver.Options);
    store: S3rver.StoreOfS3rver;
    context: { store: S3rver.StoreOfS3rver };
    run(): Promise<{ port: number }>;
    close(): Promise<void>;
  }

  namespace S3rver {
    type Options = {
      address: string;
      port: number;
      silent: boolean;
      configureBuckets: { name: string }[];
    };

    type ListOptions = { prefix?: string; startAfter?: string; maxKeys?: number };

    type Upload = {
      bucket: string;
      key: string;
      content: AsyncIterable<Uint8Array>;
      metadata: Record<string, string | number>;
    };

    /** What the package asks of its store for the calls that the service makes. */
    type StoreOfS3rver = {
      getBucket(name: string): Promise<{ name: string; creationDate: Date } | null>;
      putBucket(name: string): Promise<void>;
      putObject(object: Upload): Promise<{ size: number; md5: string }>;
      getObject(bucket: string, key: string): Promise<S3Object | null>;
      existsObject(bucket: string, key: string): Promise<boolean>;
      deleteObject(bucket: string, key: string): Promise<void>;
      listObjects(
        bucket: string,
        options: ListOptions,
      ): Promise<{ objects: S3Object[]; commonPrefixes: string[]; isTruncated: boolean }>;
      getSubresource(): Promise<null>;
    };
  }

  export = S3rver;
}

declare module 's3rver/lib/models/object.js' {
  class S3Object {
    constructor(
      bucket: string,
      key: string,
      content: Uint8Array | null,
      metadata: Record<string, string | number>,
    );
  }

  export = S3Object;
}
