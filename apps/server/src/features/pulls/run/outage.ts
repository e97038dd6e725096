import { PullRefused } from './target.ts';
import type { Watch } from './watch.ts';

/** While the platform does not answer at all, a pull waits, but not for ever. */
export type Outage = {
  /** The platform answered. */
  end(): void;
  /** Pauses, longer each time, or as long as the platform asks for. */
  wait(requestedMs?: number): Promise<void>;
};

const defaultFirstPauseMs = 2000;
const longestPauseMs = 5 * 60 * 1000;
const longestOutageMs = 6 * 60 * 60 * 1000;

export const createOutage = (watch: Watch, firstPauseMs = defaultFirstPauseMs): Outage => {
  let since: number | undefined;
  let pauses = 0;
  return {
    end() {
      since = undefined;
      pauses = 0;
    },
    async wait(requestedMs) {
      since ??= performance.now();
      if (performance.now() - since > longestOutageMs) {
        throw new PullRefused('The platform did not answer for six hours: pull again later');
      }
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** pauses++);
      // Random, so that not all pulls try again at once.
      await watch.sleep(requestedMs ?? pauseMs / 2 + (Math.random() * pauseMs) / 2);
    },
  };
};
