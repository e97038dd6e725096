import { setTimeout as sleep } from 'node:timers/promises';

type Provider = 'card' | 'crypto';

/** A webhook that a provider is to send to its merchant. */
export type OutgoingEvent = {
  id: string;
  provider: Provider;
  type: string;
  body: string;
  /** The merchant's current address; undefined if it has set none. */
  url(): string | undefined;
  /** Called for every attempt, since the card provider signs the time of sending too. */
  sign(): Record<string, string>;
};

type Attempt = { at: string; status: number | null; answer: string; garbled: boolean };

export type SentEvent = {
  id: string;
  provider: Provider;
  type: string;
  url: string | null;
  body: string;
  state: 'waiting' | 'delivered' | 'failed' | 'unsent';
  attempts: Attempt[];
};

/** Disturbances of the delivery: copies, reversed order, delay, a flipped bit. */
type DeliveryMode = { repeat: number; reorder: boolean; delayMs: number; garble: boolean };

type Replay = { times: number; delayMs: number; garble: boolean };

/** The real providers wait for minutes and hours. */
const retryAfterMs = [250, 500, 1000, 2000, 4000];
const attemptTimeoutMs = 10_000;
const maxAnswerLength = 500;
const maxEvents = 10_000;

export const createDeliveries = () => {
  const sentById = new Map<string, { outgoing: OutgoingEvent; event: SentEvent }>();
  const stopping = new AbortController();
  let mode: DeliveryMode = { repeat: 0, reorder: false, delayMs: 0, garble: false };

  const attempt = async (
    outgoing: OutgoingEvent,
    event: SentEvent,
    garbled: boolean,
  ): Promise<boolean> => {
    const url = outgoing.url() ?? '';
    event.url = url;
    const result = await post({ ...outgoing, url }, garbled, stopping.signal);
    event.attempts.push(result);
    if (!isAccepted(outgoing.provider, result)) return false;
    event.state = 'delivered';
    return true;
  };

  /** Waits for the first attempt only; retries run in the background. */
  const deliver = async (outgoing: OutgoingEvent, event: SentEvent): Promise<void> => {
    if (await attempt(outgoing, event, mode.garble)) return;
    void retry(outgoing, event);
  };

  const retry = async (outgoing: OutgoingEvent, event: SentEvent): Promise<void> => {
    for (const waitMs of retryAfterMs) {
      if (!(await pause(waitMs, stopping.signal))) return;
      if (await attempt(outgoing, event, mode.garble)) return;
    }
    if (event.state === 'waiting') event.state = 'failed';
  };

  const register = (outgoing: OutgoingEvent): SentEvent => {
    const { id, provider, type, body } = outgoing;
    const url = outgoing.url() ?? null;
    const state = url === null ? 'unsent' : 'waiting';
    const event: SentEvent = { id, provider, type, url, body, state, attempts: [] };
    sentById.set(id, { outgoing, event });
    const [oldest] = sentById.keys();
    if (sentById.size > maxEvents && oldest !== undefined) sentById.delete(oldest);
    return event;
  };

  return {
    /** In sequence, as the mode says; resolves when each event was tried once. */
    async send(events: OutgoingEvent[]): Promise<void> {
      const sent = events.map((outgoing) => ({ outgoing, event: register(outgoing) }));
      const { delayMs, repeat, reorder } = mode;
      if (!(await pause(delayMs, stopping.signal))) return;
      for (const { outgoing, event } of reorder ? sent.toReversed() : sent) {
        if (event.url === null) continue;
        for (let copy = 0; copy <= repeat; copy++) await deliver(outgoing, event);
      }
    },
    /** Sends copies of one event concurrently. Undefined if there is no such event. */
    async replay(eventId: string, replay: Replay): Promise<SentEvent | undefined> {
      const found = sentById.get(eventId);
      if (!found || found.event.url === null) return undefined;
      if (!(await pause(replay.delayMs, stopping.signal))) return found.event;
      const copies = Array.from({ length: replay.times }, () =>
        attempt(found.outgoing, found.event, replay.garble),
      );
      await Promise.all(copies);
      return found.event;
    },
    list: (): SentEvent[] => [...sentById.values()].map(({ event }) => event),
    clear: () => sentById.clear(),
    getMode: () => mode,
    setMode: (newMode: DeliveryMode) => {
      mode = newMode;
    },
    stop: () => stopping.abort(),
  };
};

const post = async (
  outgoing: Pick<OutgoingEvent, 'body' | 'sign'> & { url: string },
  garbled: boolean,
  stopSignal: AbortSignal,
): Promise<Attempt> => {
  const at = new Date().toISOString();
  try {
    const response = await fetch(outgoing.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...outgoing.sign() },
      body: garbled ? garble(outgoing.body) : outgoing.body,
      redirect: 'manual',
      keepalive: false,
      signal: AbortSignal.any([stopSignal, AbortSignal.timeout(attemptTimeoutMs)]),
    });
    const answer = (await response.text()).slice(0, maxAnswerLength);
    return { at, status: response.status, answer, garbled };
  } catch (error) {
    return { at, status: null, answer: String(error).slice(0, maxAnswerLength), garbled };
  }
};

/** Flips one bit after the body was signed. */
const garble = (body: string): Uint8Array<ArrayBuffer> => {
  const bytes = new TextEncoder().encode(body);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes;
};

/** The crypto provider accepts only the body `ok`. */
const isAccepted = (provider: Provider, { status, answer }: Attempt): boolean => {
  const isSuccess = status !== null && status >= 200 && status < 300;
  return isSuccess && (provider === 'card' || answer.trim().toLowerCase() === 'ok');
};

/** False if the simulator stops meanwhile. */
const pause = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  if (ms === 0) return !signal.aborted;
  return sleep(ms, true, { signal }).catch(() => false);
};
