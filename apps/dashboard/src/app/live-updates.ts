import type { ChangeEvent, SentTopic } from '@holdfast/contract';
import { dashboardEventsPath } from '@holdfast/sdk/dashboard';
import type { QueryClient } from '@tanstack/react-query';
import { keysChangedBy } from '../queries/changed-keys.ts';
import { setLive } from '../queries/refetch.ts';

/** Without a stream for so long, pages poll. */
const lostAfterMs = 5000;
/** A hidden tab gives its connection back: without HTTP/2 a browser has six for all of its tabs. */
const hiddenAfterMs = 10_000;
/** After a refusal; the browser itself connects again where an open stream ended. */
const reopenMs = { first: 5000, longest: 60_000 };

/**
 * Reads again what the service says has changed, instead of polling.
 *
 *   open     intervals are off (`unlessLive`); each event names what is read again.
 *   lost     for `lostAfterMs` nothing changes: the browser connects again within seconds.
 *   polling  intervals are on until the stream is open.
 *
 * Whatever the stream would have told is read once when it opens and once when it is lost.
 */
export const startLiveUpdates = (queries: QueryClient): (() => void) => {
  const changes = createReader(queries);
  const [loss, reopening, hiding] = [newTimer(), newTimer(), newTimer()];
  let source: EventSource | undefined;
  let pauseMs = reopenMs.first;
  let isLive = false;

  const become = (live: boolean) => {
    isLive = live;
    setLive(live);
  };
  const onOpen = () => {
    loss.clear();
    pauseMs = reopenMs.first;
    become(true);
    changes.read(['all']);
  };
  const poll = () => {
    if (!isLive) return;
    become(false);
    changes.read(['all']);
  };
  const onError = (isRefused: boolean) => {
    loss.start(lostAfterMs, poll);
    if (!isRefused) return;
    source = undefined;
    reopening.start(pauseMs, open);
    pauseMs = Math.min(pauseMs * 2, reopenMs.longest);
  };
  const open = () => {
    if (!document.hidden) source ??= openStream({ onOpen, onError, onTopics: changes.read });
  };
  const close = () => {
    source?.close();
    source = undefined;
    for (const timer of [loss, reopening, hiding]) timer.clear();
    become(false);
  };
  const onVisibility = () => {
    hiding.clear();
    if (document.hidden) hiding.start(hiddenAfterMs, close);
    else open();
  };

  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
};

type StreamListener = {
  onOpen(): void;
  onTopics(topics: SentTopic[]): void;
  /** It is refused where the browser does not try again by itself. */
  onError(isRefused: boolean): void;
};

const openStream = ({ onOpen, onTopics, onError }: StreamListener): EventSource => {
  const source = new EventSource(dashboardEventsPath);
  source.onopen = onOpen;
  source.onmessage = ({ data }) => {
    // Our own service sends it.
    const { topics } = JSON.parse(data) as ChangeEvent;
    onTopics(topics);
  };
  source.onerror = () => onError(source.readyState === EventSource.CLOSED);
  return source;
};

/**
 * Reads what changed, one round after another: topics that come during a round are read in the next one.
 * To cancel a read for each event instead would leave slow ones without an end.
 */
const createReader = (queries: QueryClient) => {
  const waiting = new Set<SentTopic>();
  let isReading = false;
  const readAll = async () => {
    isReading = true;
    while (waiting.size > 0) {
      const keys = keysChangedBy(waiting);
      waiting.clear();
      await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    }
    isReading = false;
  };
  return {
    read(topics: SentTopic[]): void {
      for (const topic of topics) waiting.add(topic);
      if (!isReading) readAll();
    },
  };
};

/** A timer that is not started twice. */
const newTimer = () => {
  let running: ReturnType<typeof setTimeout> | undefined;
  const clear = () => {
    clearTimeout(running);
    running = undefined;
  };
  return {
    clear,
    start(ms: number, onEnd: () => void): void {
      running ??= setTimeout(() => {
        running = undefined;
        onEnd();
      }, ms);
    },
  };
};
