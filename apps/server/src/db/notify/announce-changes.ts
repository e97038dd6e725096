import type { Change } from './change.ts';

export type ChangeAnnouncer = {
  announce(change: Change): void;
  /** Resolves when all that was announced so far has been sent, or cannot be. */
  flush(): Promise<void>;
};

const defaultTimes = {
  /** The pause between two notifications of this process; what changes meanwhile is collected. */
  pauseMs: 100,
  /** The time between two notifications of the same topic: a running job marks it many times a second. */
  sameTopicMs: 1000,
  /** The pause after a notification that failed. */
  retryMs: 1000,
  flushWithinMs: 3000,
};

/** By then pages poll: the connections on which processes listen have failed as well. */
const mostFailures = 5;

/** PostgreSQL takes up to 8,000 bytes; one change has less than 100. */
const mostInOne = 75;

/**
 * Notifies all processes of committed changes. Not in the transactions that make them: one that notifies
 * holds a global lock during its commit, so all of them would commit one after another. What a process
 * announces costs at most one notification in `pauseMs`, however much it changes.
 */
export const createChangeAnnouncer = (
  send: (payload: string) => PromiseLike<unknown>,
  changedTimes: Partial<typeof defaultTimes> = {},
): ChangeAnnouncer => {
  const times = { ...defaultTimes, ...changedTimes };
  const waiting = createWaitingChanges(times.sameTopicMs);
  let sending: Promise<void> | undefined;

  const sendWaiting = async () => {
    // The other changes of the same transaction are announced in this turn of the event loop.
    await Promise.resolve();
    for (let failures = 0; !waiting.isEmpty(); ) {
      const due = waiting.takeDue();
      const isSent = due.length === 0 || (await succeeds(send(encode(due))));
      failures = isSent ? 0 : failures + 1;
      if (failures === mostFailures) waiting.clear();
      else if (!isSent) waiting.putBack(due);
      if (!isSent) await Bun.sleep(times.retryMs);
      else if (due.length < mostInOne) await Bun.sleep(times.pauseMs);
    }
    sending = undefined;
  };

  return {
    announce(change) {
      waiting.add(change);
      sending ??= sendWaiting();
    },
    async flush() {
      if (!sending) return;
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, times.flushWithinMs);
      await Promise.race([sending, late.promise]);
      clearTimeout(timer);
    },
  };
};

/** Each topic once; one that was sent just now waits until `sameTopicMs` have passed. */
const createWaitingChanges = (sameTopicMs: number) => {
  const waiting = new Map<string, Change>();
  /** When each topic was last sent, the oldest first. */
  const sentAt = new Map<string, number>();

  const forgetSent = (now: number) => {
    for (const [key, at] of sentAt) {
      if (now - at < sameTopicMs) return;
      sentAt.delete(key);
    }
  };
  const add = (change: Change) => waiting.set(keyOf(change), change);

  return {
    isEmpty: () => waiting.size === 0,
    add,
    takeDue(): Change[] {
      const now = performance.now();
      forgetSent(now);
      const due = [...waiting].filter(([key]) => !sentAt.has(key)).slice(0, mostInOne);
      for (const [key] of due) {
        waiting.delete(key);
        sentAt.set(key, now);
      }
      return due.map(([, change]) => change);
    },
    putBack(changes: Change[]): void {
      for (const change of changes) {
        sentAt.delete(keyOf(change));
        add(change);
      }
    },
    clear: () => waiting.clear(),
  };
};

const succeeds = (work: PromiseLike<unknown>): PromiseLike<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const keyOf = ({ accountId, topic }: Change): string => `${accountId} ${topic}`;

const encode = (changes: Change[]): string =>
  JSON.stringify(changes.map(({ accountId, topic }) => [accountId, topic]));
