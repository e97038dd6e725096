import { createServer } from 'node:http';
import type { Fetch } from './service-fetch.ts';

/**
 * A real address of the service, where the first connections break after their request has taken effect
 * and before a byte of its answer is sent.
 */
export const openDroppingLine = async (service: Fetch, { drops }: { drops: number }) => {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? Buffer.concat(chunks).toString() : undefined;
    // Only HTTP/2 has headers that are lists, and node gives those of a request as text.
    const headers = request.headers as Record<string, string>;
    const url = `http://localhost:3000${request.url}`;
    const answer = await service(url, { method: request.method, headers, body });
    if (++requests <= drops) return request.socket.destroy();
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
