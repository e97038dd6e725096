import type { Log } from '../kernel/log.ts';

export type PollTimes = typeof usualPollTimes;

export const usualPollTimes = {
  /** While notifications arrive: only what one failed to tell is found by this. */
  idleMs: 2000,
  /** While none arrive, and while a job is due that nobody has taken. */
  busyMs: 500,
  /** Of two questions the second comes no sooner, whoever asks for it. */
  leastMs: 25,
};

/** Of each queue in which jobs wait: in how many milliseconds its next one is due. */
export type Waiting = { name: string; dueInMs: number };

type Tools = {
  ask(): Promise<Waiting[]>;
  wake(queue: string): void;
  isNotified(): boolean;
  times: PollTimes;
  log: Log;
};

export type Polling = {
  /** Asks soon, because something changed that may be due earlier than all that is known. */
  lookSoon(): void;
  stop(): void;
};

/**
 * Asks the database, once for all queues, which have a job that is due, and wakes their runners.
 * Notifications make most of it needless: this finds what they do not tell, above all what is due
 * later (a retry, a delayed start), which a timer is set for.
 */
export const beginPolling = ({ ask, wake, isNotified, times, log }: Tools): Polling => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isAskedFor = false;
  let isFailing = false;
  let isStopped = false;

  const askOnce = async (): Promise<number> => {
    const longestMs = isNotified() ? times.idleMs : times.busyMs;
    try {
      const waiting = await ask();
      isFailing = false;
      const due = waiting.filter(({ dueInMs }) => dueInMs <= 0);
      for (const { name } of due) wake(name);
      if (due.length > 0) return times.busyMs;
      return Math.min(longestMs, ...waiting.map(({ dueInMs }) => dueInMs));
    } catch (err) {
      if (!isFailing) log.warn({ err }, 'the queues could not be looked at; trying on');
      isFailing = true;
      return times.busyMs;
    }
  };

  const look = async () => {
    timer = undefined;
    isAsking = true;
    isAskedFor = false;
    const waitMs = await askOnce();
    isAsking = false;
    lookIn(isAskedFor ? times.leastMs : waitMs);
  };

  const lookIn = (ms: number) => {
    if (isStopped) return;
    clearTimeout(timer);
    timer = setTimeout(look, Math.max(ms, times.leastMs));
  };

  lookIn(0);
  return {
    lookSoon() {
      if (isAsking) isAskedFor = true;
      else lookIn(0);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
