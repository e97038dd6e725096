/**
 * A process that stores blobs until it is killed or fails, and prints each name once it is stored.
 * Each blob is named after its hash, so that a test can see whether it is complete.
 */

import { blobName } from '../../../src/integrations/blobs/blob-store.ts';
import { createFileStore } from '../../../src/integrations/blobs/file-store.ts';

const [folder = '', accountId = '', sizeText = ''] = process.argv.slice(2);
const store = createFileStore(folder);

const putNext = async (): Promise<void> => {
  const unit = crypto.getRandomValues(new Uint8Array(16));
  const bytes = Buffer.alloc(Number(sizeText), unit);
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  const name = blobName({ accountId, hash });
  await store.put(name, bytes);
  process.stdout.write(`${name}\n`);
};

try {
  for (;;) await Promise.all([putNext(), putNext(), putNext()]);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.name : 'unknown'}\n`);
}
