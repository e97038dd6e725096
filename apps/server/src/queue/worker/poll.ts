import type { Log } from '../../kernel/log.ts';

export type PollTimes = typeof defaultPollTimes;

export const defaultPollTimes = {
  /**
   * While notifications arrive: polling only finds what they missed. A little less than two seconds, so that
   * its answer saves every second question of `db/health.ts`.
   */
  idleMs: 1900,
  /** While none arrive, and while a job is due that no runner has claimed. */
  busyMs: 500,
  /** The shortest time between two polls. */
  leastMs: 25,
  /** How often a worker looks for jobs whose worker has missed its heartbeats. */
  silentMs: 10_000,
};

/** A queue with waiting jobs, and in how many milliseconds its next one is due. */
type WaitingQueue = { name: string; dueInMs: number };

export type Due = {
  waiting: WaitingQueue[];
  /** Those of long jobs whose worker died or hangs. */
  haveLeasesExpired: boolean;
};

type PollDependencies = {
  findWaiting(): Promise<WaitingQueue[]>;
  wake(queue: string): void;
  isNotified(): boolean;
  times: PollTimes;
  log: Log;
};

type Polling = {
  /** Polls now, because a new job may be due earlier than those known so far. */
  pollSoon(): void;
  stop(): void;
};

/**
 * Asks the database, once for all queues, which of them have a job that is due, and wakes their runners.
 * It finds what notifications do not announce: above all jobs that are due later (a retry, a delayed
 * start), for which it sets a timer.
 */
export const startPolling = ({
  findWaiting,
  wake,
  isNotified,
  times,
  log,
}: PollDependencies): Polling => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPolling = false;
  let isRequested = false;
  let isFailing = false;
  let isStopped = false;

  const pollOnce = async (): Promise<number> => {
    const longestMs = isNotified() ? times.idleMs : times.busyMs;
    try {
      const waiting = await findWaiting();
      isFailing = false;
      const due = waiting.filter(({ dueInMs }) => dueInMs <= 0);
      for (const { name } of due) wake(name);
      if (due.length > 0) return times.busyMs;
      return Math.min(longestMs, ...waiting.map(({ dueInMs }) => dueInMs));
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'the queues could not be polled; trying again');
      isFailing = true;
      return times.busyMs;
    }
  };

  const poll = async () => {
    timer = undefined;
    isPolling = true;
    isRequested = false;
    const waitMs = await pollOnce();
    isPolling = false;
    pollIn(isRequested ? times.leastMs : waitMs);
  };

  const pollIn = (ms: number) => {
    if (isStopped) return;
    clearTimeout(timer);
    timer = setTimeout(poll, Math.max(ms, times.leastMs));
  };

  pollIn(0);
  return {
    pollSoon() {
      if (isPolling) isRequested = true;
      else pollIn(0);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
