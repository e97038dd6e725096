import { type ChangeEvent, everyTopic, type SentTopic } from '@holdfast/contract';

export type StreamTimes = typeof defaultStreamTimes;

export const defaultStreamTimes = {
  /** Proxies end a connection that is silent for 30 s (`docs/edge`). */
  heartbeatMs: 15_000,
  /** The time between two events of one stream; what changes meanwhile is collected. */
  eventEveryMs: 1000,
  /** How often it is checked that the sessions of all streams still exist. */
  checkMs: 3000,
  /** Then the browser opens another one: nothing that was missed stays unread for longer. */
  lifeMs: 15 * 60_000,
};

/** The browser's pause before it connects again; not the same for all whose process has stopped. */
const retryMs = { least: 500, most: 2500 };
/** More than that in one event, and the page reads everything again. */
const mostTopics = 40;

export type EventStream = {
  body: ReadableStream<Uint8Array>;
  add(topic: SentTopic): void;
  /** Sends a comment, or ends the stream: after `lifeMs`, or if the client took nothing since the last one. */
  beat(): void;
  end(): void;
};

const encoder = new TextEncoder();
const heartbeat = encoder.encode(':\n\n');

/**
 * One open stream. At most one chunk waits in it; while the client takes nothing, topics are collected
 * in a set, so a slow client costs no memory. `onEnd` is called once, whoever ends it.
 */
export const createEventStream = (times: StreamTimes, onEnd: () => void): EventStream => {
  const pending = new Set<SentTopic>();
  const endsAt = performance.now() + times.lifeMs * (0.9 + 0.2 * Math.random());
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let nextEventAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUntaken = false;

  const hasRoom = () => (controller?.desiredSize ?? 0) > 0;

  const sendPending = () => {
    timer = undefined;
    if (!controller || pending.size === 0 || !hasRoom()) return;
    const event: ChangeEvent = { topics: [...pending] };
    pending.clear();
    nextEventAt = performance.now() + times.eventEveryMs;
    controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  };

  const schedule = () => {
    timer ??= setTimeout(sendPending, Math.max(0, nextEventAt - performance.now()));
  };

  const release = () => {
    controller = undefined;
    clearTimeout(timer);
    onEnd();
  };
  const end = () => {
    if (!controller) return;
    controller.close();
    release();
  };

  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      const retry = retryMs.least + Math.random() * (retryMs.most - retryMs.least);
      opened.enqueue(encoder.encode(`retry: ${Math.round(retry)}\n\n`));
    },
    pull() {
      isUntaken = false;
      if (pending.size > 0) schedule();
    },
    cancel() {
      if (controller) release();
    },
  });

  return {
    body,
    add(topic) {
      if (pending.has(everyTopic)) return;
      const isAll = topic === everyTopic || pending.size >= mostTopics;
      if (isAll) pending.clear();
      pending.add(isAll ? everyTopic : topic);
      schedule();
    },
    beat() {
      // The socket of a client that takes nothing is closed by its own time-out.
      if (isUntaken || performance.now() >= endsAt) return end();
      isUntaken = !hasRoom();
      if (!isUntaken) controller?.enqueue(heartbeat);
    },
    end,
  };
};
