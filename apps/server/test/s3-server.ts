import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

export type S3Server = { endpoint: string; blobUrl: string; stop(): Promise<void> };

/** An S3-compatible store of its own, with one bucket. */
export const startS3Server = async (bucket = 'blobs'): Promise<S3Server> => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-s3-'));
  const configureBuckets = [{ name: bucket }];
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets };
  const server = new S3rver(options);
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = 'accessKeyId=S3RVER&secretAccessKey=S3RVER';
  return {
    endpoint,
    blobUrl: `s3://${bucket}/kept?endpoint=${endpoint}&region=us-east-1&${keys}`,
    async stop() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
