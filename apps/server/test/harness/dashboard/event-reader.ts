import { eventsPath } from '@holdfast/contract';

type EventReader = {
  status: number;
  headers: Headers;
  /** The answer, where it is no stream. */
  text: string;
  /** All topics that came so far, in order. */
  topics: string[];
  /** How many heartbeats came. */
  heartbeats(): number;
  isEnded(): boolean;
  close(): void;
};

/** Opens the stream of events as a page does, and goes on reading it. */
export const readEvents = async (
  url: string,
  cookie: string,
  headers: Record<string, string> = {},
): Promise<EventReader> => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await fetch(`${url}${eventsPath}`, {
    headers: { cookie, accept: 'text/event-stream', ...headers },
    signal,
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const topics: string[] = [];
  let received = '';
  let isEnded = false;
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      received += decoder.decode(bytes, { stream: true });
      topics.splice(0, topics.length, ...topicsIn(received));
    }
  };
  if (isStream) {
    read()
      .catch(() => undefined)
      .finally(() => {
        isEnded = true;
      });
  }
  return {
    status: response.status,
    headers: response.headers,
    text: isStream ? '' : await response.text(),
    topics,
    heartbeats: () => received.split('\n').filter((line) => line === ':').length,
    isEnded: () => isEnded,
    close: () => leaving.abort(),
  };
};

const topicsIn = (text: string): string[] =>
  [...text.matchAll(/^data: (.*)\n\n/gm)].flatMap(([, data = '']) => JSON.parse(data).topics);
