type Answer = { status: number; body: Buffer };

export type Connection = {
  /** One request at a time; resolves when the answer's last byte is there. */
  send(request: string): Promise<Answer>;
  close(): void;
};

/**
 * HTTP/1.1 with keep-alive on a bare socket, and no more than that: on few cores, what the client
 * takes is missing for the server that is measured.
 */
export const openConnection = async (origin: string): Promise<Connection> => {
  const { hostname, port } = new URL(origin);
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let received: Buffer = Buffer.alloc(0);

  const fail = (reason: string) => {
    waiting?.reject(new Error(reason));
    waiting = undefined;
  };
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const answer = wholeAnswer(received);
        if (!answer) return;
        received = Buffer.alloc(0);
        const asked = waiting;
        waiting = undefined;
        asked?.resolve(answer);
      },
      close: () => fail('The connection was closed'),
      error: (_, error) => fail(error.message),
    },
  });

  return {
    send(request) {
      waiting = Promise.withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    close: () => socket.end(),
  };
};

/** Undefined while some of it is still on its way. */
const wholeAnswer = (received: Buffer): Answer | undefined => {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  const body = received.subarray(headEnd + 4);
  const status = Number(head.slice(9, 12));
  // One that is sent in pieces, whose last is empty.
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    return body.subarray(-5).toString() === '0\r\n\r\n' ? { status, body } : undefined;
  }
  const length = head.match(/\r\ncontent-length: (\d+)/i)?.[1];
  if (length === undefined) throw new Error(`An answer without a length:\n${head}`);
  return body.length < Number(length) ? undefined : { status, body };
};

type Request = {
  origin: string;
  method?: 'GET' | 'DELETE' | 'POST';
  path: string;
  key?: string;
  json?: object;
};

export const requestText = ({ origin, method = 'GET', path, key, json }: Request): string => {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  const text = json === undefined ? '' : JSON.stringify(json);
  const about =
    json === undefined
      ? ''
      : `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${text.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(origin).host}\r\n${authorization}${about}\r\n${text}`;
};
