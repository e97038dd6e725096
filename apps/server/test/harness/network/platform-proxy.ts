/** Sees each request on its way to the platform; an answer of its own keeps the request from getting there. */
export type OnRequest = (request: Request) => Promise<Response | undefined>;

/** Stands between a worker and the platform, so that a test can act at the moment a call is made. */
export const startPlatformProxy = (apiUrl: string, onRequest: OnRequest) => {
  const target = new URL(apiUrl);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const answer = await onRequest(request);
      if (answer) return answer;
      const url = new URL(request.url);
      url.host = target.host;
      const { method, headers } = request;
      const body = method === 'GET' ? undefined : await request.arrayBuffer();
      return fetch(url, { method, headers, body, decompress: false, redirect: 'manual' });
    },
  });
  return {
    apiUrl: `http://127.0.0.1:${server.port}${target.pathname}`,
    stop: () => server.stop(true),
  };
};
