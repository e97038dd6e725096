import { afterAll, beforeAll, describe, expect } from 'bun:test';
import {
  accountOf,
  cardSubscription,
  sendCard,
  signingSecret,
} from '../../harness/billing/events.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { readEvents } from '../../harness/dashboard/event-reader.ts';
import { signInByRow } from '../../harness/dashboard/session.ts';
import { freshDatabase } from '../../harness/database.ts';
import { eventually } from '../../harness/eventually.ts';
import { edges } from '../../harness/network/load-balancers.ts';
import {
  createKey,
  makePlansFile,
  request,
  startService,
  stopServices,
  tenantAt,
  testWith,
} from '../../harness/running-service.ts';
import type { ServiceProcess } from '../../harness/service-process.ts';

let service: ServiceProcess;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  service = await startService({
    ...{ DATABASE_URL: databaseUrl, ROLE: 'api', PLANS_FILE: await makePlansFile() },
    ...{ BILLING_SIGNING_SECRET: signingSecret, TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
});
afterAll(stopServices);

/** A request without a key from that address, as it leaves the machine. */
const remainingFor = async (url: string, from: string, headers: string[] = []) => {
  const asked = ['curl', '-s', '-D', '-', '-o', '/dev/null', '--interface', from];
  const child = Bun.spawn([
    ...asked,
    ...headers.flatMap((h) => ['-H', h]),
    `${url}/api/v1/account`,
  ]);
  const head = await new Response(child.stdout).text();
  return Number(head.match(/x-ratelimit-remaining: (\d+)/i)?.[1]);
};

describe.each(edges)('behind %s, set up as the docs say,', (program, startEdge) => {
  const testWithEdge = testWith(program, Bun.which(program) !== null);
  const start = () => startEdge([service.url]);

  testWithEdge('a signed event arrives as it was signed, and a flood is held up', async () => {
    const edge = await start();
    try {
      const created = await createKey(databaseUrl, { plan: 'FREE' });
      const caller = {
        call: (method: string, path: string, options = {}) =>
          request(edge.url, method, path, options),
      };
      const event = cardSubscription(created.accountId).checkout('PREMIUM', undefined, {
        customer_details: { name: 'José\r\n' },
      });
      expect((await sendCard(caller, event)).status).toBe(200);
      expect((await accountOf(tenantAt(edge.url, created))).plan).toBe('PREMIUM');

      const flood = await Promise.all(
        Array.from({ length: 400 }, () => sendCard(caller, event).then(({ status }) => status)),
      );
      expect(new Set(flood)).toEqual(new Set([200, 429]));
      expect(flood.filter((status) => status === 200).length).toBeWithin(100, 300);
      // Everything else goes on.
      expect((await accountOf(tenantAt(edge.url, created))).plan).toBe('PREMIUM');
    } finally {
      await edge.stop();
    }
  });

  testWithEdge('each client is known by its own address, whatever it claims', async () => {
    const edge = await start();
    try {
      // Of its own for each program: addresses are remembered for ten seconds.
      const [one, other] =
        program === 'nginx' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.4', '127.0.0.5'];
      const first = await remainingFor(edge.url, one);
      expect(await remainingFor(edge.url, one)).toBe(first - 1);
      expect(await remainingFor(edge.url, other)).toBe(first);
      const claim = ['X-Forwarded-For: 198.51.100.7', 'X-Real-IP: 198.51.100.7'];
      expect(await remainingFor(edge.url, one, claim)).toBe(first - 2);
    } finally {
      await edge.stop();
    }
  });
});

/** Longer than either of them keeps a connection on which nothing comes. */
const silenceMs = 32_000;

testWith(
  'nginx and HAProxy',
  edges.every(([program]) => Bun.which(program) !== null),
)(
  'behind both, set up as the docs say, a page keeps its stream and is told of changes at once',
  async () => {
    const created = await createKey(databaseUrl);
    const cookie = await signInByRow(databaseUrl, created);
    const owner = tenantAt(service.url, created);
    const serverId = await createServer(owner);
    const started = await Promise.all(edges.map(([, startEdge]) => startEdge([service.url])));
    try {
      const readers = await Promise.all(started.map(({ url }) => readEvents(url, cookie)));
      expect(readers.map(({ status }) => status)).toEqual(edges.map(() => 200));
      await Bun.sleep(silenceMs);
      expect(readers.map((reader) => reader.isEnded())).toEqual(edges.map(() => false));
      const body = { type: 'ASN', value: '64500' };
      await owner.call('POST', `/api/v1/servers/${serverId}/firewall`, { body });
      await eventually(3000, () => {
        for (const { topics } of readers) expect(topics).toContain(`firewall:${serverId}`);
      });
      for (const reader of readers) reader.close();
    } finally {
      await Promise.all(started.map((edge) => edge.stop()));
    }
  },
  90_000,
);
