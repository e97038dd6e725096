import { createSemaphore } from '../../../kernel/concurrency.ts';
import type { ReadMessage } from '../../../platform/conversation.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { StoredMessage } from '../snapshot/snapshot.ts';
import type { CaptureDependencies } from './capture-context.ts';
import { inMebibytes } from './file-limits.ts';

const filesAtOnce = 2;
/** Of all backups of the process: each is in memory until it is stored. */
const limitFilesInMemory = createSemaphore(8);

type Skipped = 'tooLarge' | 'overTotal' | 'unreadable';

/** Stores the bytes of files in messages within the limits, and counts those that are not kept. */
export const createFileKeeper = ({ readFile, sink, fileLimits }: CaptureDependencies) => {
  const limitFiles = createSemaphore(filesAtOnce);
  const { largestFileBytes, bytesPerBackup } = fileLimits;
  const skipped: Record<Skipped, number> = { tooLarge: 0, overTotal: 0, unreadable: 0 };
  let keptBytes = 0;

  const keep = async (url: string, sizeBytes: number): Promise<string | null> => {
    if (sizeBytes > largestFileBytes) return skip('tooLarge');
    if (keptBytes + sizeBytes > bytesPerBackup) return skip('overTotal');
    keptBytes += sizeBytes;
    try {
      return await limitFiles(() =>
        limitFilesInMemory(async () => sink.addFile(await readFile(url, largestFileBytes))),
      );
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.kind === 'aborted') throw error;
      keptBytes -= sizeBytes;
      return skip('unreadable');
    }
  };

  const skip = (reason: Skipped): null => {
    skipped[reason] += 1;
    return null;
  };

  return {
    async keepFilesOf(message: ReadMessage): Promise<StoredMessage['attachments']> {
      const urls = new Map(message.files.map(({ attachmentId, url }) => [attachmentId, url]));
      return Promise.all(
        message.attachments.map(async (attachment) => ({
          ...attachment,
          hash: await keep(urls.get(attachment.id) ?? '', attachment.sizeBytes),
        })),
      );
    },

    /** Says how many files are not in the backup, and why. */
    warn(): void {
      const warnOf = (count: number, reason: string) => {
        if (count > 0) sink.warn(`${count} files of messages are not in this backup: ${reason}`);
      };
      warnOf(
        skipped.tooLarge,
        `a backup keeps files of up to ${inMebibytes(largestFileBytes)} MiB`,
      );
      warnOf(skipped.overTotal, `a backup keeps up to ${inMebibytes(bytesPerBackup)} MiB of files`);
      warnOf(skipped.unreadable, 'the platform did not give them');
    },
  };
};

export type FileKeeper = ReturnType<typeof createFileKeeper>;
