import { PullRefused } from './pull-work.ts';
import type { Watch } from './watch.ts';

/** What to do while the platform says nothing at all: wait, and not for ever. */
export type Outage = {
  /** It spoke. */
  end(): void;
  /** A pause, longer each time, or as long as the platform asks for. */
  wait(askedMs?: number): Promise<void>;
};

const usualFirstPauseMs = 2000;
const longestPauseMs = 5 * 60 * 1000;
const patienceMs = 6 * 60 * 60 * 1000;

export const createOutage = (watch: Watch, firstPauseMs = usualFirstPauseMs): Outage => {
  let since: number | undefined;
  let pauses = 0;
  return {
    end() {
      since = undefined;
      pauses = 0;
    },
    async wait(askedMs) {
      since ??= performance.now();
      if (performance.now() - since > patienceMs) {
        throw new PullRefused('The platform did not answer for six hours: pull again later');
      }
      const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** pauses++);
      // Never the same for two, so that not all pulls come back at once.
      await watch.rest(askedMs ?? longest / 2 + (Math.random() * longest) / 2);
    },
  };
};
