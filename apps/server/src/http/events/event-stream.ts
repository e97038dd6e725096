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
  const pending = createPendingTopics();
  const endsAt = performance.now() + times.lifeMs * (0.9 + 0.2 * Math.random());
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let nextEventAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUntaken = false;

  const hasRoom = () => (controller?.desiredSize ?? 0) > 0;
  const sendPending = () => {
    timer = undefined;
    if (!controller || pending.isEmpty() || !hasRoom()) return;
    nextEventAt = performance.now() + times.eventEveryMs;
    controller.enqueue(pending.takeEvent());
  };
  const schedule = () => {
    if (pending.isEmpty()) return;
    timer ??= setTimeout(sendPending, Math.max(0, nextEventAt - performance.now()));
  };
  const release = () => {
    if (!controller) return;
    controller = undefined;
    clearTimeout(timer);
    onEnd();
  };
  const end = () => {
    controller?.close();
    release();
  };

  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      opened.enqueue(retryLine());
    },
    pull() {
      isUntaken = false;
      schedule();
    },
    cancel: release,
  });
  const beat = () => {
    // The socket of a client that takes nothing is closed by its own time-out.
    if (isUntaken || performance.now() >= endsAt) return end();
    isUntaken = !hasRoom();
    if (!isUntaken) controller?.enqueue(heartbeat);
  };
  const add = (topic: SentTopic) => {
    pending.add(topic);
    schedule();
  };
  return { body, add, beat, end };
};

/** Topics that wait to be sent, each once. */
const createPendingTopics = () => {
  const topics = new Set<SentTopic>();
  return {
    isEmpty: () => topics.size === 0,
    add(topic: SentTopic): void {
      if (topics.has(everyTopic)) return;
      const isAll = topic === everyTopic || topics.size >= mostTopics;
      if (isAll) topics.clear();
      topics.add(isAll ? everyTopic : topic);
    },
    takeEvent(): Uint8Array {
      const event: ChangeEvent = { topics: [...topics] };
      topics.clear();
      return encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
    },
  };
};

const retryLine = (): Uint8Array => {
  const pauseMs = retryMs.least + Math.random() * (retryMs.most - retryMs.least);
  return encoder.encode(`retry: ${Math.round(pauseMs)}\n\n`);
};
