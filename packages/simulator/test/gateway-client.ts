import { botToken } from './harness.ts';

type Frame = { op: number; t: string | null; s: number | null; d: unknown };

export const ALL_INTENTS = 0x3_31_ffff;

/** Of the platform's own documentation; nothing here is shared with the simulator. */
export const Op = {
  ...{ Dispatch: 0, Heartbeat: 1, Identify: 2, Presence: 3, Resume: 6, Reconnect: 7 },
  ...{ InvalidSession: 9, Hello: 10, Ack: 11 },
};

/** A client of bare frames, which does only what a test tells it to. */
export const openSocket = async (url: string, path = '/gateway?v=10&encoding=json') => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const closed = Promise.withResolvers<number>();
  let closeCode: number | undefined;
  const wake = () => {
    for (const one of waiting) one();
  };
  socket.onmessage = ({ data }) => {
    frames.push(JSON.parse(String(data)));
    wake();
  };
  socket.onclose = ({ code }) => {
    closeCode = code;
    closed.resolve(code);
    wake();
  };
  /** The first frame from `from` on that is wanted; frames that came before count. */
  const find = async (isWanted: (frame: Frame) => boolean, from = 0): Promise<Frame> => {
    for (;;) {
      const found = frames.slice(from).find(isWanted);
      if (found) return found;
      if (closeCode !== undefined) throw new Error(`Closed with ${closeCode} while waiting.`);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }));
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the event holds
  type Data = any;
  const client = {
    socket,
    frames,
    find,
    send,
    closed: closed.promise,
    identify: (botId: string, intents = ALL_INTENTS, more: object = {}) =>
      send(Op.Identify, {
        token: botToken(botId),
        intents,
        properties: { os: 'test', browser: 'test', device: 'test' },
        ...more,
      }),
    resume: (botId: string, session_id: string, seq: number) =>
      send(Op.Resume, { token: botToken(botId), session_id, seq }),
    event: async (name: string, from = 0): Promise<Data> =>
      (await find(({ t }) => t === name, from)).d,
    /** Everything that was dispatched before the gateway answers a heartbeat. */
    settle: async () => {
      const from = frames.length;
      send(Op.Heartbeat, lastSeq(frames));
      await find(({ op }) => op === Op.Ack, from);
      return frames;
    },
    names: () => frames.flatMap(({ t }) => t ?? []),
    lastSeq: () => lastSeq(frames),
  };
  if (path.includes('v=10'))
    await Promise.race([find(({ op }) => op === Op.Hello), closed.promise]);
  return client;
};

const lastSeq = (frames: Frame[]): number => frames.findLast(({ s }) => s !== null)?.s ?? 0;
