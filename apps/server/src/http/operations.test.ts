import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSocket } from '../../test/harness/network/raw-socket.ts';
import { startTestService, type TestService } from '../../test/harness/service.ts';

let service: TestService;
let served: ReturnType<TestService['listen']>;
beforeAll(async () => {
  service = await startTestService();
  served = service.listen();
});
afterAll(async () => {
  await served.stop();
  await service.stop();
});

const statusUnder = async (host: string) => {
  const socket = await openSocket(served.url);
  socket.write(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const [answer] = await socket.waitFor(1);
  socket.destroy();
  return answer?.status;
};

test.each(['localhost:3000', '127.0.0.1', '[::1]:3000'])(
  'metrics are read from this machine under its own name %s',
  async (host) => {
    expect(await statusUnder(host)).toBe(200);
  },
);

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.0.2.1'])(
  'metrics are not read from this machine under the name %s, which a page of a stranger may have',
  async (host) => {
    expect(await statusUnder(host)).toBe(403);
  },
);
