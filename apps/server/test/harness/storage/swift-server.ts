import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Server } from './s3-server.ts';

const servers = ['proxy', 'account', 'container', 'object'];

/** Debian's packages swift-proxy, swift-account, swift-container and swift-object. */
export const isSwiftThere = servers.every((kind) => existsSync(`/usr/bin/swift-${kind}-server`));

// Debian's modules belong to Debian's Python, which need not be the first in PATH.
const python = '/usr/bin/python3';

/** A real S3-compatible store of its own with one bucket: OpenStack Swift, in about two seconds. */
export const startSwift = async (bucket = 'blobs'): Promise<S3Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-swift-'));
  await mkdir(join(folder, 'disk'));
  const script = join(import.meta.dir, 'swift-server.py');
  const child = Bun.spawn([python, script, folder, bucket], { stdin: 'pipe', stdout: 'pipe' });
  const endpoint = `http://127.0.0.1:${await firstLine(child.stdout)}`;
  const keys = 'accessKeyId=test:tester&secretAccessKey=testing';
  return {
    endpoint,
    blobUrl: `s3://${bucket}/kept?endpoint=${endpoint}&region=us-east-1&${keys}`,
    async stop() {
      child.kill('SIGKILL');
      await child.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const firstLine = async (output: ReadableStream<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of output) {
    text += Buffer.from(chunk).toString();
    if (text.includes('\n')) return text.trim();
  }
  throw new Error('Swift did not start');
};
