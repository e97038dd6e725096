import type { ChangeEvent, SentTopic } from '@holdfast/contract';
import { dashboardEventsPath } from '@holdfast/sdk';
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

  const poll = () => {
    if (!isLive) return;
    become(false);
    changes.read(['all']);
  };

  const close = () => {
    source?.close();
    source = undefined;
    loss.clear();
    reopening.clear();
  };

  const open = () => {
    if (source || document.hidden) return;
    const opened = new EventSource(dashboardEventsPath);
    source = opened;
    opened.onopen = () => {
      loss.clear();
      pauseMs = reopenMs.first;
      become(true);
      changes.read(['all']);
    };
    opened.onmessage = ({ data }) => {
      // Our own service sends it.
      const { topics } = JSON.parse(data) as ChangeEvent;
      changes.read(topics);
    };
    opened.onerror = () => {
      loss.start(lostAfterMs, poll);
      if (opened.readyState !== EventSource.CLOSED) return;
      source = undefined;
      reopening.start(pauseMs, open);
      pauseMs = Math.min(pauseMs * 2, reopenMs.longest);
    };
  };

  const onVisibility = () => {
    hiding.clear();
    if (!document.hidden) return open();
    hiding.start(hiddenAfterMs, () => {
      close();
      become(false);
    });
  };

  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    hiding.clear();
    close();
    become(false);
  };
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
