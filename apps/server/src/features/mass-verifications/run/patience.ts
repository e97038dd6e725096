import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { Watch } from '../../pulls/run/watch.ts';

/** It cannot go on, for a reason that its owner reads. */
export class MassVerificationRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MassVerificationRefused';
  }
}

const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const longestOutageMs = 30 * 60_000;

/**
 * Repeats a call while the platform does not answer it, with pauses that grow. The call must be safe to
 * repeat. Throws where the job is to stop, and after half an hour without an answer.
 */
export const patiently = async <Answer>(
  watch: Watch,
  call: () => Promise<Answer>,
): Promise<Answer> => {
  const since = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    watch.throwIfStopped();
    try {
      return await call();
    } catch (error) {
      watch.throwIfStopped();
      if (!(error instanceof PlatformFailure) || !isPassing(error)) throw error;
      if (performance.now() - since > longestOutageMs) {
        throw new MassVerificationRefused(
          'The platform did not answer for half an hour: start again later',
        );
      }
      await watch.sleep(error.retryAfterMs ?? pauseMs);
    }
  }
};
