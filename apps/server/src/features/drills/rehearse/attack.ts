import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';

/** The platform's usual bucket: so many calls of one route in so long. */
const callsPerBucket = 5;
const bucketMs = 5000;

type Targets = { channelIds: readonly string[]; roleIds: readonly string[] };

/**
 * Deletes channels and roles at once, each as fast as the platform lets anybody, until nothing is left or
 * the signal is aborted. What is refused is left, and the next one tried.
 */
export const attack = async (
  calls: Pick<GuildPlatform, 'deleteChannel' | 'deleteRole'>,
  { channelIds, roleIds }: Targets,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all([
    deleteAll(channelIds, (id) => calls.deleteChannel(id), signal),
    deleteAll(roleIds, (id) => calls.deleteRole(id), signal),
  ]);
};

const deleteAll = async (
  ids: readonly string[],
  deleteOne: (id: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  let bucketAt = performance.now();
  for (const [index, id] of ids.entries()) {
    if (index > 0 && index % callsPerBucket === 0) {
      await sleepUntil(bucketAt + bucketMs, signal);
      bucketAt = performance.now();
    }
    if (signal.aborted) return;
    await deleteOne(id).catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof PlatformFailure)) throw error;
    });
  }
};

const sleepUntil = (at: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, at - performance.now()));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
