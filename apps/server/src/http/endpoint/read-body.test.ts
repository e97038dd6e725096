import { afterAll, beforeAll, expect, test } from 'bun:test';
import { smallDocument } from '../../../test/harness/backups/small-document.ts';
import { createServer } from '../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { openSocket } from '../../../test/harness/network/raw-socket.ts';
import { startTestService, type TestService } from '../../../test/harness/service.ts';

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

const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown${at}`, {}]));

test('fields that no endpoint knows are ignored, and thousands of them are refused before they are read', async () => {
  const owner = await service.newTenant();
  const path = `/api/v1/servers/${await createServer(owner)}/firewall`;
  const rule = { type: 'ASN', value: '64500' };
  const change = (unknown: object) => owner.call('POST', path, { body: { ...rule, ...unknown } });
  expect((await change(unknownFields(198))).status).toBe(201);
  const refused = await change(unknownFields(10_000));
  expect([refused.status, refused.body.details?.formErrors]).toEqual([
    400,
    ['The body holds an object of more than 200 fields'],
  ]);
  const nested = await change({ unknown: Array.from({ length: 5000 }, () => ({})) });
  expect([nested.status, nested.body.details?.formErrors]).toEqual([
    400,
    ['The body holds more than 5000 values'],
  ]);
});

test('the longest list that an endpoint takes is read, and so is a document of many values', async () => {
  const owner = await service.newTenant({ plan: 'ENTERPRISE' });
  const path = `/api/v1/servers/${await createServer(owner)}`;
  const memberIds = Array.from({ length: 1000 }, () => crypto.randomUUID());
  const pull = await owner.call('POST', `${path}/pull`, { body: { memberIds } });
  expect(pull.body.details).toBeUndefined();
  const overwrites = [{ role: '@everyone', allow: ['VIEW_CHANNEL', 'CONNECT'], deny: ['SPEAK'] }];
  const channels = Array.from({ length: 450 }, (_, at) => ({
    type: 'TEXT',
    name: `deck-${at}`,
    overwrites,
  }));
  const document = {
    ...smallDocument,
    channels: [...(smallDocument.channels ?? []), ...channels],
  };
  const imported = await owner.call('POST', `${path}/backups/import`, { body: { document } });
  expect(imported.text).toContain('queued');
});
