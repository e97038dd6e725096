import { afterAll, describe, expect, setDefaultTimeout } from 'bun:test';
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
import { freePort } from '../../harness/service-process.ts';

setDefaultTimeout(180_000);
afterAll(stopServices);

const clientsAtOnce = 8;

/** Reads and writes without a pause, over connections that are kept open, until it is told to end. */
const startLoad = (call: (index: number) => Promise<{ status: number }>) => {
  const outcomes = new Map<string, number>();
  let isEnding = false;
  const ask = async (client: number) => {
    for (let index = client; !isEnding; index += clientsAtOnce) {
      const outcome = await call(index).then(
        ({ status }) => String(status),
        (error: unknown) => String(error),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const asking = Promise.all(Array.from({ length: clientsAtOnce }, (_, at) => ask(at)));
  return {
    async end() {
      isEnding = true;
      await asking;
      return Object.fromEntries(outcomes);
    },
  };
};

describe.each(edges)('two processes behind %s, set up as the docs say,', (program, startEdge) => {
  const testWithEdge = testWith(program, Bun.which(program) !== null);

  testWithEdge('are restarted one after the other without a failed request', async () => {
    const databaseUrl = await freshDatabase();
    const shared = { DATABASE_URL: databaseUrl, PLANS_FILE: await makePlansFile() };
    const ports = [freePort(), freePort()];
    // As long as production drains.
    const start = (port: number) =>
      startService({ ...shared, ROLE: 'api', PORT: String(port), DRAIN_SECONDS: '6' });
    const processes = [await start(ports[0] ?? 0), await start(ports[1] ?? 0)];
    const edge = await startEdge(processes.map(({ url }) => url));
    try {
      const tenant = tenantAt(edge.url, await createKey(databaseUrl));
      // A load balancer sends no POST twice: one that reaches a closing connection is lost.
      const load = startLoad((index) =>
        index % 4 === 0
          ? tenant.call('POST', '/api/v1/keys', { body: { name: 'a', scopes: [] } })
          : tenant.call('GET', '/api/v1/account'),
      );
      for (const [at, port] of ports.entries()) {
        processes[at]?.kill('SIGTERM');
        await processes[at]?.exited;
        const { url } = await start(port);
        await eventually(20_000, async () => {
          expect((await request(url, 'GET', '/readyz')).status).toBe(200);
        });
      }
      const outcomes = await load.end();
      expect(Object.keys(outcomes).toSorted()).toEqual(['200', '400']);
      expect(outcomes['200']).toBeGreaterThan(100);
    } finally {
      await edge.stop();
    }
  });
});
