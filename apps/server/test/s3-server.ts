import S3rver from 's3rver';
import { createObjectStore } from './s3-objects.ts';

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
