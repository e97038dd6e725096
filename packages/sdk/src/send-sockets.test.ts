import { expect, test } from 'bun:test';
import { failureOf } from '../test/failure-of.ts';
import { createHoldfast, HoldfastNetworkError } from './index.ts';

/** Real sockets, because these are about what `fetch` itself does with them. */

const clientAt = (port: number | undefined) =>
  createHoldfast({ baseUrl: `http://127.0.0.1:${port}`, key: 'a key', retries: 0 });

test('a key is never sent to the target of a redirect', async () => {
  const seen: string[] = [];
  await using elsewhere = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      seen.push(url);
      return Response.json({ data: {} });
    },
  });
  await using server = Bun.serve({
    port: 0,
    fetch: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}/`),
  });
  await failureOf(clientAt(server.port).getAccount(), HoldfastNetworkError);
  expect(seen).toEqual([]);
});

test('a truncated response is a network error', async () => {
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":{"id":"0191');
      },
    },
  });
  const error = await failureOf(clientAt(server.port).getAccount(), HoldfastNetworkError);
  expect(error.isTimeout).toBe(false);
});

test('a response that stalls is aborted at the timeout', async () => {
  await using server = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          start: (stream) => stream.enqueue(new TextEncoder().encode('{"data":')),
        }),
      ),
  });
  const call = clientAt(server.port).getAccount({ timeoutMs: 300 });
  expect((await failureOf(call, HoldfastNetworkError)).isTimeout).toBe(true);
});
