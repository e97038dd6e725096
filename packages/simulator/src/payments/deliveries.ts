import { setTimeout as sleep } from 'node:timers/promises';

export type Provider = 'card' | 'crypto';

/** Something a provider tells its merchant. */
export type Notice = {
  id: string;
  provider: Provider;
  type: string;
  body: string;
  /** Where the merchant is to be told now; undefined where it has named no address. */
  url(): string | undefined;
  /** Made anew for every attempt, since the card provider signs the time of sending too. */
  sign(): Record<string, string>;
};

export type Attempt = { at: string; status: number | null; answer: string; garbled: boolean };

export type SentEvent = {
  id: string;
  provider: Provider;
  type: string;
  url: string | null;
  body: string;
  state: 'waiting' | 'delivered' | 'failed' | 'unsent';
  attempts: Attempt[];
};

/** What happens on the way to the merchant. */
export type DeliveryMode = { repeat: number; reorder: boolean; delayMs: number; garble: boolean };

export type Replay = { times: number; delayMs: number; garble: boolean };

/** The real ones wait for minutes and hours. */
const retryAfterMs = [250, 500, 1000, 2000, 4000];
const attemptMs = 10_000;
const answerKept = 500;
const eventsKept = 10_000;

export type Deliveries = ReturnType<typeof createDeliveries>;

export const createDeliveries = () => {
  const known = new Map<string, { notice: Notice; event: SentEvent }>();
  const ending = new AbortController();
  let mode: DeliveryMode = { repeat: 0, reorder: false, delayMs: 0, garble: false };

  const attempt = async (notice: Notice, event: SentEvent, garbled: boolean): Promise<boolean> => {
    const url = notice.url() ?? '';
    event.url = url;
    const made = await post({ ...notice, url }, garbled, ending.signal);
    event.attempts.push(made);
    const isTaken = isAccepted(notice.provider, made);
    if (isTaken) event.state = 'delivered';
    return isTaken;
  };

  /** The first attempt is waited for; what it did not achieve is tried again behind the caller's back. */
  const deliver = async (notice: Notice, event: SentEvent): Promise<void> => {
    if (await attempt(notice, event, mode.garble)) return;
    void retry(notice, event);
  };

  const retry = async (notice: Notice, event: SentEvent): Promise<void> => {
    for (const waitMs of retryAfterMs) {
      if (!(await pause(waitMs, ending.signal))) return;
      if (await attempt(notice, event, mode.garble)) return;
    }
    if (event.state === 'waiting') event.state = 'failed';
  };

  const register = (notice: Notice): SentEvent => {
    const { id, provider, type, body } = notice;
    const url = notice.url() ?? null;
    const state = url === null ? 'unsent' : 'waiting';
    const event: SentEvent = { id, provider, type, url, body, state, attempts: [] };
    known.set(id, { notice, event });
    const [oldest] = known.keys();
    if (known.size > eventsKept && oldest !== undefined) known.delete(oldest);
    return event;
  };

  return {
    /** One after the other, as the mode says; resolves when each has been tried once. */
    async send(notices: Notice[]): Promise<void> {
      const sent = notices.map((notice) => ({ notice, event: register(notice) }));
      const { delayMs, repeat, reorder } = mode;
      if (!(await pause(delayMs, ending.signal))) return;
      for (const { notice, event } of reorder ? sent.toReversed() : sent) {
        if (event.url === null) continue;
        for (let copy = 0; copy <= repeat; copy++) await deliver(notice, event);
      }
    },
    /** Copies of one event, all at once. Undefined where there is no such event. */
    async replay(eventId: string, replay: Replay): Promise<SentEvent | undefined> {
      const found = known.get(eventId);
      if (!found || found.event.url === null) return undefined;
      if (!(await pause(replay.delayMs, ending.signal))) return found.event;
      const copies = Array.from({ length: replay.times }, () =>
        attempt(found.notice, found.event, replay.garble),
      );
      await Promise.all(copies);
      return found.event;
    },
    list: (): SentEvent[] => [...known.values()].map(({ event }) => event),
    clear: () => known.clear(),
    getMode: () => mode,
    setMode: (wanted: DeliveryMode) => {
      mode = wanted;
    },
    stop: () => ending.abort(),
  };
};

const post = async (
  notice: Pick<Notice, 'body' | 'sign'> & { url: string },
  garbled: boolean,
  ending: AbortSignal,
): Promise<Attempt> => {
  const at = new Date().toISOString();
  try {
    const response = await fetch(notice.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...notice.sign() },
      body: garbled ? garble(notice.body) : notice.body,
      redirect: 'manual',
      keepalive: false,
      signal: AbortSignal.any([ending, AbortSignal.timeout(attemptMs)]),
    });
    const answer = (await response.text()).slice(0, answerKept);
    return { at, status: response.status, answer, garbled };
  } catch (error) {
    return { at, status: null, answer: String(error).slice(0, answerKept), garbled };
  }
};

/** One bit falls over on the way, after the signature was made. */
const garble = (body: string): Uint8Array<ArrayBuffer> => {
  const bytes = new TextEncoder().encode(body);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes;
};

/** The crypto provider takes nothing but the word for a yes. */
const isAccepted = (provider: Provider, { status, answer }: Attempt): boolean => {
  const isFine = status !== null && status >= 200 && status < 300;
  return isFine && (provider === 'card' || answer.trim().toLowerCase() === 'ok');
};

/** False where the simulator ends meanwhile. */
const pause = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  if (ms === 0) return !signal.aborted;
  return sleep(ms, true, { signal }).catch(() => false);
};
