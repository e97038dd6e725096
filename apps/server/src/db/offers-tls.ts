const answerWithinMs = 3000;
/** PostgreSQL's SSLRequest: its length, and the code that stands in the place of a version. */
const sslRequest = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);

/** Asks a PostgreSQL server, as every client that prefers TLS does: it answers S or N. */
export const offersTls = async ({ hostname, port }: URL): Promise<boolean> => {
  if (hostname === '') return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), answerWithinMs);
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5432),
    socket: {
      open: (socket) => {
        socket.write(sslRequest);
      },
      data: (_, answer) => resolve(answer[0] === 'S'.charCodeAt(0)),
      close: () => resolve(false),
      connectError: () => resolve(false),
    },
  });
  // A server that cannot be reached is reported by the connection that comes next.
  connecting.catch(() => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    connecting.then((socket) => socket.end()).catch(() => undefined);
  }
};
