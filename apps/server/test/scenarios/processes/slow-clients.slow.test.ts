// Runs alone: it is about time, memory or the machine.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { freshDatabase } from '../../harness/database.ts';
import { expectRefusedOrCut, openSocket, requestBytes } from '../../harness/network/raw-socket.ts';
import {
  createKey,
  makePlansFile,
  startService,
  stopServices,
  tenantAt,
  timed,
} from '../../harness/running-service.ts';
import type { Tenant } from '../../harness/service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let service: ServiceProcess;
let tenant: Tenant;

beforeAll(async () => {
  const env = { DATABASE_URL: await freshDatabase(), PLANS_FILE: await makePlansFile() };
  service = await startService({ ...env, ROLE: 'api' });
  tenant = tenantAt(service.url, await createKey(env.DATABASE_URL));
});

afterAll(stopServices);

const bearer = () => `Authorization: Bearer ${tenant.key}`;
const json = 'Content-Type: application/json';

// Together, so that the slowest of them is all the time they take.
describe('clients that only drip', () => {
  const drip = async (head: string, drop: string, everyMs: number) => {
    const socket = await openSocket(service.url);
    socket.write(head);
    const dripping = setInterval(() => socket.write(drop), everyMs);
    const { tookMs } = await timed(() => socket.closed);
    clearInterval(dripping);
    return { answers: socket.answers(), tookMs };
  };

  test.concurrent('headers that never end are cut off within 15 s', async () => {
    const { answers, tookMs } = await drip('GET / HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n', 500);
    expectRefusedOrCut(answers);
    expect(tookMs).toBeLessThan(15_000);
  });

  test.concurrent('a connection that says nothing is closed within 15 s', async () => {
    const { tookMs } = await drip('', '', 500);
    expect(tookMs).toBeLessThan(15_000);
  });

  test.concurrent('a body that never ends is refused with 400 and cut off within 13 s', async () => {
    const declared = drip(
      requestBytes('POST /api/v1/bots', [bearer(), json, 'Content-Length: 1000']),
      ' ',
      500,
    );
    const head = requestBytes('POST /api/v1/bots', [bearer(), json, 'Transfer-Encoding: chunked']);
    const chunked = drip(head, '1\r\n \r\n', 500);
    for (const { answers, tookMs } of await Promise.all([declared, chunked])) {
      expect(answers[0]?.status).toBe(400);
      expect(tookMs).toBeLessThan(13_000);
    }
  });

  test.concurrent('500 of them hold up nobody else', async () => {
    const heads = [
      'GET /api/v1/account HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
      requestBytes('POST /api/v1/bots', [bearer(), json, 'Content-Length: 1000']),
    ];
    const slow = await Promise.all(Array.from({ length: 500 }, () => openSocket(service.url)));
    slow.forEach((socket, index) => {
      socket.write(heads[index % heads.length] ?? '');
    });
    for (let count = 0; count < 50; count++) {
      const { result, tookMs } = await timed(() => tenant.call('GET', '/api/v1/account'));
      expect(result.status).toBe(200);
      expect(tookMs).toBeLessThan(5000);
    }
    expect(slow.filter((socket) => socket.isClosed())).toEqual([]);
    for (const socket of slow) socket.destroy();
  });
});
