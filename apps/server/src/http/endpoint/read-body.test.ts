import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../../../test/harness/eventually.ts';
import { openSocket } from '../../../test/harness/network/raw-socket.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

let service: TestService;
let served: ReturnType<TestService['listen']>;
beforeAll(async () => {
  service = await startTestService();
  served = service.listen();
}, 120_000);
afterAll(async () => {
  await served.stop();
  await service.stop();
});

test.each([
  ['Content-Length: 1000', '{"a":'],
  ['Transfer-Encoding: chunked', '5\r\n{"a":'],
])(
  'a client that goes away while it sends a body (%s) is no error of the service',
  async (length, part) => {
    const { key, keyId } = await service.newTenant();
    const socket = await openSocket(served.url);
    const headers = [
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
    ];
    socket.write(['POST /api/v1/bots HTTP/1.1', ...headers, length, '', part].join('\r\n'));
    await eventually(10_000, async () => {
      const [row] = await service.db.$client`select last_used_at from api_keys where id = ${keyId}`;
      expect(row.last_used_at).not.toBeNull();
    });
    const before = await endedRequests();
    socket.destroy();
    await eventually(10_000, async () => expect(await endedRequests()).toBe(before + 1));
    expect(service.logLines.filter((line) => line.includes('request failed'))).toEqual([]);
  },
);

/** How many requests for a new bot have been answered. */
const endedRequests = async (): Promise<number> => {
  const metrics = await (await fetch(`${served.url}/metrics`)).text();
  const counts = metrics.matchAll(
    /^holdfast_http_request_seconds_count\{.*"createBot".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};
