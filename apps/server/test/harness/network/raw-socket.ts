import { expect } from 'bun:test';
import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Headers; body: string };

type RawSocket = {
  write(text: string): void;
  /** All bytes that came back so far, one character each. */
  received(): string;
  /** The complete answers among them. */
  answers(): RawAnswer[];
  isClosed(): boolean;
  /** Resolves once the other side, or we, closed. */
  closed: Promise<void>;
  /** Resolves with the first `count` answers, or with fewer once the connection is closed. */
  waitFor(count: number): Promise<RawAnswer[]>;
  destroy(): void;
};

/** A connection on which a client may say whatever it likes. */
export const openSocket = async (url: string): Promise<RawSocket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  let wake = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let isClosed = false;
  const stir = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    stir();
  });
  socket.on('close', () => {
    isClosed = true;
    closed.resolve();
    stir();
  });
  // A connection cut off while we write is what some of these clients ask for.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', resolve));

  const answers = () => parseAnswers(received);
  return {
    write: (text) => void socket.write(text, 'latin1'),
    received: () => received,
    answers,
    isClosed: () => isClosed,
    closed: closed.promise,
    async waitFor(count) {
      while (answers().length < count && !isClosed) await wake.promise;
      return answers().slice(0, count);
    },
    destroy: () => void socket.destroy(),
  };
};

/** Says `text` on a connection of its own; what came back once it is answered, or closed. */
export const say = async (url: string, text: string, answers = 1): Promise<RawAnswer[]> => {
  const socket = await openSocket(url);
  socket.write(text);
  const got = await socket.waitFor(answers);
  socket.destroy();
  return got;
};

/** Says `text` and waits until the other side closed the connection by itself. */
export const sayUntilClosed = async (url: string, text: string): Promise<RawAnswer[]> => {
  const socket = await openSocket(url);
  socket.write(text);
  await socket.closed;
  return socket.answers();
};

/** A request as bytes; the body, if any, follows as it is. */
export const requestBytes = (line: string, headers: string[], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', body].join('\r\n');

/** Refused with a 4xx or 505, or cut off without a word; never carried out, never a 500. */
export const expectRefusedOrCut = (answers: RawAnswer[]): void => {
  expect(answers.length).toBeLessThanOrEqual(1);
  for (const { status } of answers) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).not.toBe(500);
  }
};

const parseAnswers = (text: string): RawAnswer[] => {
  const answers: RawAnswer[] = [];
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = new Headers(lines.map((line) => splitHeader(line)));
    const length = Number(headers.get('content-length') ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return answers;
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
};

const splitHeader = (line: string): [string, string] => {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trim()];
};
